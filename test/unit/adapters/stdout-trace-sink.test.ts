import { afterEach, describe, expect, it, vi } from 'vitest';
import { StdoutTraceSink } from '../../../lib/adapters/stdout-trace-sink.ts';
import type { TraceRecord } from '../../../lib/ports/trace-record.ts';

const record: TraceRecord = {
  record: 'trace',
  timestamp: '2026-01-01T00:00:00.000Z',
  run_id: 'run-1',
  agent_name: 'orders',
  entity_type: 'action',
  entity_name: 'create',
  execution_id: 'a1',
  status: 'success',
  entity_metadata: { epoch: 1 },
  attributes: { text: 'two\nlines' },
};

describe('StdoutTraceSink', () => {
  afterEach(() => void vi.restoreAllMocks());

  it('writes one line of JSON to the output of the process', () => {
    const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    new StdoutTraceSink().write(record);
    const lines = write.mock.calls.map(([line]) => String(line));
    write.mockRestore();
    expect(lines).toEqual([expect.stringMatching(/^[^\n]*\n$/)]);
    expect(JSON.parse(lines.join(''))).toEqual(record);
  });

  it('never fails its caller', () => {
    const complaint = vi.spyOn(console, 'error').mockReturnValue();
    const lines: string[] = [];
    const sink = new StdoutTraceSink((line) => void lines.push(line));
    sink.write({ ...record, attributes: { count: 1n } });
    sink.write(record);
    expect(lines).toHaveLength(1);
    expect(complaint).toHaveBeenCalledOnce();
  });
});

import * as z from 'zod';
import type { Memory } from '../../agent/runner-context.ts';
import { AgentError } from '../../errors/agent-error.ts';
import { TerminalAgentError } from '../../errors/public-errors.ts';
import { checkId } from '../../store/keys.ts';
import { INLINE_BYTES } from '../../store/payloads.ts';
import { decodeValue, encodeValue } from '../../values/value-codec.ts';

/** Stored values by field; `null`: cleared. */
export type MemoryWrites = Readonly<Record<string, string | null>>;
/** Stored values by field. */
export type MemoryContents = Readonly<Record<string, string>>;

/** Writes of finished actions, in finishing order, over what the run began with. */
export class CommittedMemory {
  /** The last write of each field in this life of the run. */
  private readonly written = new Map<string, string | null>();
  /** Newest last; `view` is the number of finished actions after the commit. */
  private readonly versions = new Map<string, { readonly view: number; readonly text: string | null }[]>();
  private loading: Promise<MemoryContents> | undefined;
  private readonly load: () => Promise<MemoryContents>;

  /** @param load what was there before the run; called once, at the first read */
  constructor(load: () => Promise<MemoryContents>) {
    this.load = load;
  }

  /** @param kept `true`: an earlier life of the run has put these writes where they belong, and others may have followed */
  commit(writes: MemoryWrites, view: number, kept: boolean): void {
    for (const [field, text] of Object.entries(writes)) {
      const versions = this.versions.get(field) ?? [];
      versions.push({ view, text });
      this.versions.set(field, versions);
      if (!kept) this.written.set(field, text);
    }
  }

  /** The field as an action sees it that began after `view` finished ones. */
  async read(field: string, view: number): Promise<string | null> {
    const version = this.versions.get(field)?.findLast((candidate) => candidate.view <= view);
    if (version) return version.text;
    this.loading ??= this.load();
    const contents = await this.loading;
    return Object.hasOwn(contents, field) ? (contents[field] ?? null) : null;
  }

  /** The last write of each field that is still to be kept. */
  changes(): ReadonlyMap<string, string | null> {
    return this.written;
  }
}

function encodeField(field: string, value: unknown): string {
  const text = encodeValue(value, `memory field "${field}"`);
  const bytes = Buffer.byteLength(text, 'utf8');
  if (bytes <= INLINE_BYTES) return text;
  throw new TerminalAgentError(
    'PAYLOAD_TOO_LARGE',
    `Memory field "${field}" has ${bytes} bytes, the limit is ${INLINE_BYTES}. Keep the value elsewhere and a reference to it in memory.`,
  );
}

/** One action's memory: what was committed when it began, plus its own writes. */
export class ActionMemory implements Memory {
  private readonly committed: CommittedMemory;
  private readonly view: number;
  private readonly guard: (method: string) => void;
  private readonly busy: <T>(work: Promise<T>) => Promise<T>;
  private readonly own = new Map<string, string | null>();

  constructor(options: {
    readonly committed: CommittedMemory;
    readonly view: number;
    /** Throws where memory must not be used. */
    readonly guard: (method: string) => void;
    /** Holds the engine while a read is under way. */
    readonly busy: <T>(work: Promise<T>) => Promise<T>;
  }) {
    this.committed = options.committed;
    this.view = options.view;
    this.guard = options.guard;
    this.busy = options.busy;
  }

  async get(field: string): Promise<unknown>;
  async get<Schema extends z.ZodType>(field: string, schema: Schema): Promise<z.output<Schema> | undefined>;
  async get(field: string, schema?: z.ZodType): Promise<unknown> {
    const text = await this.readText('memory.get', field);
    if (text === null) return undefined;
    const value = decodeValue(text);
    if (schema === undefined) return value;
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    throw new TerminalAgentError(
      'INVALID_CALL',
      `Memory field "${field}" does not fit the schema: ${z.prettifyError(parsed.error)} Clear it or read it with a schema that accepts both forms.`,
    );
  }

  async has(field: string): Promise<boolean> {
    return (await this.readText('memory.has', field)) !== null;
  }

  set(field: string, value: unknown): void {
    this.guard('memory.set');
    checkId('A memory field', field);
    if (field === '__proto__')
      throw new AgentError('INVALID_CALL', 'A memory field cannot be named "__proto__". Rename it.');
    this.own.set(field, value === undefined ? null : encodeField(field, value));
  }

  writes(): MemoryWrites {
    return Object.fromEntries(this.own);
  }

  private async readText(method: string, field: string): Promise<string | null> {
    this.guard(method);
    checkId('A memory field', field);
    const own = this.own.get(field);
    return own !== undefined ? own : this.busy(this.committed.read(field, this.view));
  }
}

import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { featureFlags, REPOSITORY } from './synth-stack.ts';

const run = promisify(execFile);

/** Runs the app as `cdk -c name=value` does; gives its templates by stack name. */
async function runApp(context: Readonly<Record<string, string>>): Promise<Readonly<Record<string, string>>> {
  const outdir = mkdtempSync(join(tmpdir(), 'app-'));
  try {
    await run(process.execPath, [join(REPOSITORY, 'infra/app.ts')], {
      env: {
        PATH: process.env.PATH,
        CDK_OUTDIR: outdir,
        CDK_CONTEXT_JSON: JSON.stringify({ ...featureFlags, 'aws:cdk:bundling-stacks': [], ...context }),
      },
    });
    const suffix = '.template.json';
    const files = readdirSync(outdir).filter((name) => name.endsWith(suffix));
    return Object.fromEntries(
      files.map((name) => [name.slice(0, -suffix.length), readFileSync(join(outdir, name), 'utf8')]),
    );
  } finally {
    rmSync(outdir, { recursive: true });
  }
}

describe('the app', () => {
  it('is one stack that keeps its data', async () => {
    const templates = await runApp({});
    expect(Object.keys(templates)).toEqual(['Agents']);
    expect(templates.Agents).toContain('"https://tickets.example.com"');
    expect(templates.Agents).toContain('"https://tests.example.com"');
    expect(templates.Agents).not.toContain('"DeletionPolicy": "Delete"');
  });

  it('takes the name of the stack, the services and whether its data may go', async () => {
    const templates = await runApp({
      stackName: 'Rehearsal',
      ticketServiceUrl: 'http://127.0.0.1:8080',
      testRunnerUrl: 'http://127.0.0.1:8081',
      removable: 'true',
    });
    expect(Object.keys(templates)).toEqual(['Rehearsal']);
    expect(templates.Rehearsal).toContain('"TICKET_SERVICE_URL": "http://127.0.0.1:8080"');
    expect(templates.Rehearsal).toContain('"TEST_RUNNER_URL": "http://127.0.0.1:8081"');
    expect(templates.Rehearsal).not.toContain('"DeletionPolicy": "Retain"');
  });
});

describe('cdk.json', () => {
  it('sets every flag that the pinned CDK recommends, and makes a wrong template an error', () => {
    const recommended = JSON.parse(
      readFileSync(join(REPOSITORY, 'node_modules/aws-cdk-lib/recommended-feature-flags.json'), 'utf8'),
    );
    expect(featureFlags).toEqual({ ...recommended, '@aws-cdk/core:validateAgainstDefaultRules': true });
  });
});

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');

/** What each place may import, besides itself. Everything points inwards. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  'lib/errors': [],
  'lib/values': ['lib/errors'],
  'lib/events': ['lib/errors'],
  'lib/ports': [],
  'lib/trace': ['lib/ports', 'lib/values'],
  'lib/store': ['lib/ports', 'lib/values', 'lib/errors'],
  'lib/durable': ['lib/store', 'lib/ports', 'lib/values', 'lib/errors'],
  'lib/subagents': ['lib/durable', 'lib/store', 'lib/values', 'lib/errors'],
  'lib/agent': ['lib/subagents', 'lib/durable', 'lib/events', 'lib/values', 'lib/errors'],
  'lib/polling': ['lib/agent', 'lib/subagents', 'lib/store', 'lib/trace', 'lib/ports', 'lib/values', 'lib/errors'],
  'lib/runner': [
    'lib/polling',
    'lib/subagents',
    'lib/agent',
    'lib/durable',
    'lib/store',
    'lib/trace',
    'lib/events',
    'lib/ports',
    'lib/values',
    'lib/errors',
  ],
  'lib/adapters': ['lib/ports', 'lib/errors'],
  'lib/testing': [
    'lib/runner',
    'lib/polling',
    'lib/subagents',
    'lib/agent',
    'lib/durable',
    'lib/store',
    'lib/events',
    'lib/ports',
    'lib/values',
    'lib/errors',
  ],
  'lib/local': ['lib/adapters', 'lib/ports', 'lib/errors'],
  'lib/cli': [
    'lib/local',
    'lib/adapters',
    'lib/runner',
    'lib/agent',
    'lib/store',
    'lib/events',
    'lib/ports',
    'lib/values',
    'lib/errors',
  ],
  'lib/index.ts': ['lib/agent', 'lib/subagents', 'lib/durable', 'lib/events', 'lib/errors'],
  'functions/agents': ['lib/index.ts'],
  functions: ['functions/agents', 'lib/runner', 'lib/polling', 'lib/adapters', 'lib/agent', 'lib/ports', 'lib/errors'],
  infra: ['functions/agents', 'functions', 'lib/agent', 'lib/store', 'lib/ports', 'lib/errors'],
};

/** Packages that only some places may import. */
const PACKAGES: readonly { readonly name: RegExp; readonly only: readonly string[] }[] = [
  { name: /^@aws-sdk\//, only: ['lib/adapters', 'lib/local', 'lib/cli'] },
  { name: /^@smithy\//, only: ['lib/adapters', 'lib/local', 'lib/cli'] },
  { name: /^(aws-cdk-lib|constructs)/, only: ['infra'] },
  { name: /^(dynalite|fauxqs|aws-local-stepfunctions)/, only: ['lib/local'] },
];

interface Import {
  readonly file: string;
  readonly from: string;
  readonly target: string;
  readonly typeOnly: boolean;
}

const files = ['lib', 'functions', 'infra'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))
    .map((name) => join(folder, name)),
);

const imports: readonly Import[] = files.flatMap((file) => {
  const text = readFileSync(join(ROOT, file), 'utf8');
  return Array.from(
    text.matchAll(
      /^\s*(?:import|export)\s+(type\s)?[^;'"]*?from\s+'([^']+)'|import\('([^']+)'\)|^\s*import\s+'([^']+)'/gm,
    ),
    (match) => {
      const target = match[2] ?? match[3] ?? match[4] ?? '';
      return { file, from: placeOf(file), target, typeOnly: match[1] !== undefined };
    },
  );
});

function placeOf(file: string): string {
  const places = Object.keys(ALLOWED).sort((a, b) => b.length - a.length);
  return places.find((place) => file === place || file.startsWith(`${place}/`)) ?? file;
}

/** What the project exports under its own name. */
const OWN_NAMES: Readonly<Record<string, string>> = {
  'lambda-agents': 'lib/index.ts',
  'lambda-agents/testing': 'lib/testing/test-runtime.ts',
};

const targetFile = ({ file, target }: Import): string =>
  OWN_NAMES[target] ?? relative(ROOT, resolve(ROOT, dirname(file), target));

describe('import direction', () => {
  it('finds the imports of the project', () => {
    expect(imports.length).toBeGreaterThan(200);
  });

  it('points inwards between folders', () => {
    const own = imports.filter(({ target }) => target.startsWith('.') || target in OWN_NAMES);
    const wrong = own.filter((found) => {
      const place = placeOf(targetFile(found));
      return place !== found.from && !(ALLOWED[found.from] ?? []).includes(place);
    });
    expect(wrong.map(({ file, target }) => `${file} -> ${target}`)).toEqual([]);
  });

  it('lets infra see only the types of handlers', () => {
    const values = imports.filter(
      (found) => found.from === 'infra' && placeOf(targetFile(found)) === 'functions' && !found.typeOnly,
    );
    expect(values.map(({ file, target }) => `${file} -> ${target}`)).toEqual([]);
  });

  it('keeps the SDKs where they belong', () => {
    const wrong = imports.filter(({ from, target }) =>
      PACKAGES.some(({ name, only }) => name.test(target) && !only.includes(from)),
    );
    expect(wrong.map(({ file, target }) => `${file} -> ${target}`)).toEqual([]);
  });

  it('has no cycles between files', () => {
    const edges = new Map<string, string[]>();
    for (const found of imports) {
      if (found.typeOnly || !found.target.startsWith('.')) continue;
      edges.set(found.file, [...(edges.get(found.file) ?? []), targetFile(found)]);
    }
    expect(findCycle(edges)).toBeUndefined();
  });

  it('does not reach into all of zod, which would put its languages into every bundle', () => {
    const wide = files.filter((file) =>
      /\bz\.(core|locales)\b|import \{[^}]*\} from 'zod'/.test(withoutComments(file)),
    );
    expect(wide).toEqual([]);
  });

  it('reads the environment in functions, the CLI and the local stack only', () => {
    const readers = files.filter((file) => /process\.env/.test(readFileSync(join(ROOT, file), 'utf8')));
    expect(readers.filter((file) => !/^(functions|lib\/cli|lib\/local)\//.test(file))).toEqual([]);
  });
});

function findCycle(edges: ReadonlyMap<string, readonly string[]>): string | undefined {
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): string | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file].join(' -> ');
    if (done.has(file)) return undefined;
    for (const next of edges.get(file) ?? []) {
      const cycle = visit(next, [...path, file]);
      if (cycle) return cycle;
    }
    done.add(file);
    return undefined;
  };
  for (const file of edges.keys()) {
    const cycle = visit(file, []);
    if (cycle) return cycle;
  }
  return undefined;
}

const withoutComments = (file: string): string =>
  readFileSync(join(ROOT, file), 'utf8').replace(/^\s*(\/\/|\*|\/\*).*$/gm, '');

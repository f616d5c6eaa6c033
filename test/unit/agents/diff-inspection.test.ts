import { describe, expect, it } from 'vitest';
import { SEVERITY_OF } from '../../../functions/agents/diff-report/finding.ts';
import { inspectDiff, LARGE_CHANGE_LINES, MAX_FINDINGS } from '../../../functions/agents/diff-report/inspection.ts';
import { parseUnifiedDiff } from '../../../functions/agents/diff-report/unified-diff.ts';

/** The diff that appends the lines to a file with one line. */
const append = (path: string, ...lines: string[]) =>
  `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n@@ -1 +1,${lines.length + 1} @@\n first\n${lines
    .map((line) => `+${line}\n`)
    .join('')}`;
const inspect = (...diffs: string[]) => inspectDiff(parseUnifiedDiff(diffs.join('')));
const kindsOf = (path: string, line: string) => inspect(append(path, line)).findings.map(({ kind }) => kind);

describe('debug output', () => {
  it.each([
    ['a.js', 'console.log(1)', 'console.log'],
    ['a.ts', '  if (x) console.table (rows);', 'console.table'],
    ['a.tsx', '<p>{debugger}</p>', 'debugger'],
    ['a.vue', 'console.debug(this)', 'console.debug'],
    ['a.py', 'print(x)', 'print'],
    ['a.py', 'import pdb; pdb.set_trace()', 'import pdb'],
    ['a.py', 'x = ipdb.set_trace()', 'ipdb.set_trace'],
    ['a.rb', 'binding.irb', 'binding.irb'],
    ['a.rb', 'byebug', 'byebug'],
    ['a.go', '\tfmt.Printf("%v", x)', 'fmt.Printf'],
    ['a.rs', 'let y = dbg!(x);', 'dbg!'],
    ['A.java', 'System.err.printf("x");', 'System.err.printf'],
    ['A.java', 'error.printStackTrace();', '.printStackTrace'],
    ['a.kt', 'println(x)', 'println'],
    ['a.php', 'print_r($x);', 'print_r'],
    ['A.cs', 'Console.WriteLine(x);', 'Console.WriteLine'],
    ['a.swift', 'debugPrint(x)', 'debugPrint'],
    ['a.ex', '|> IO.inspect(label: "x")', 'IO.inspect'],
    ['a.m', 'NSLog(@"x");', 'NSLog'],
  ])('is found in %s: %s', (path, line, statement) => {
    expect(inspect(append(path, line)).findings).toMatchObject([
      { kind: 'debug-output', line: 2, message: expect.stringContaining(`"${statement}"`) },
    ]);
  });

  it.each([
    ['a.ts', '// console.log(1)'],
    ['a.ts', ' * console.log(1)'],
    ['a.ts', 'my.console.log(1)'],
    ['a.ts', 'console.error(1)'],
    ['a.ts', 'const debuggers = 2;'],
    ['a.py', 'blueprint(x)'],
    ['a.py', 'page.print(x)'],
    ['a.py', '# print(x)'],
    ['a.go', 'fmt.Sprintf("%v", x)'],
    ['a.php', '$this->dd($x);'],
    ['notes.txt', 'console.log(1)'],
    ['Makefile', 'print(1)'],
  ])('is not seen in %s: %s', (path, line) => {
    expect(kindsOf(path, line)).toEqual([]);
  });
});

describe('a likely secret', () => {
  const letters = 'abcdefghijklmnopqrstuvwxyz0123456789';
  it.each([
    ['notes.txt', `ASIA${'A1'.repeat(8)}`],
    ['a.ts', `const x = "ghp_${letters}";`],
    ['a.ts', `github_pat_${letters}`],
    ['a.ts', 'xoxb-1234567890-x'],
    ['a.ts', `sk_live_${letters}`],
    ['a.ts', `AIza${letters.slice(1)}`],
    ['a.ts', `npm_${letters}`],
    ['a.ts', 'sk-proj-4f9QkZt71LmN02Ab'],
    ['a.ts', `eyJ${letters}.eyJ${letters}.x`],
    ['a.pem', '-----BEGIN PRIVATE KEY-----'],
    ['a.pem', '-----BEGIN OPENSSH PRIVATE KEY-----'],
    ['a.md', 'postgres://app:s3cr3t@host/db'],
    ['a.ts', 'const password: string = "tiger-12";'],
    ['a.json', '"apiKey": "0af7651916cd43dd",'],
    ['a.py', "API_KEY = '0af7651916cd43dd'"],
    ['a.rb', 'token => "0af7651916cd43dd"'],
    ['.env.production', 'DB_PASSWORD=tiger-12-lion'],
    ['a.yaml', 'client_secret: 0af7651916cd43dd'],
  ])('is found in %s: %s', (path, line) => {
    const { findings } = inspect(append(path, line));
    expect(findings).toMatchObject([{ kind: 'secret', severity: 'error', line: 2 }]);
    expect(findings[0]?.message).toContain('****');
    expect(findings[0]?.message).not.toMatch(/tiger|0af7|s3cr3t|abcdef|A1A1|4f9Q|1234567890/);
  });

  it.each([
    ['a.ts', 'const password = readPassword();'],
    ['a.ts', "const tokenType = 'bearer-token';"],
    ['a.ts', "password: 'changeme123'"],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a placeholder is what the line is about
    ['a.ts', 'const secret = `${prefix}1234567`;'],
    ['a.ts', "token: '<token-123456>'"],
    ['a.ts', 'https://example.com:8080/path@2'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a placeholder is what the line is about
    ['a.ts', 'postgres://app:${DB_PASSWORD}@host/db'],
    ['a.css', '.sk-circle-fade-dot-and-some-more {'],
    ['a.ts', 'token=0af7651916cd43dd'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a placeholder is what the line is about
    ['a.yml', 'password: ${{ secrets.DB_PASSWORD_1 }}'],
    ['.env', 'API_TOKEN='],
    ['a.pem', '-----BEGIN PUBLIC KEY-----'],
    ['a.pem', '-----BEGIN CERTIFICATE-----'],
  ])('is not seen in %s: %s', (path, line) => {
    expect(kindsOf(path, line)).toEqual([]);
  });
});

describe('other added lines', () => {
  it.each([
    ['a.md', '<<<<<<< HEAD', ['conflict-marker']],
    ['a.md', '||||||| base', ['conflict-marker']],
    ['a.md', '>>>>>>> 0123abc (message)', ['conflict-marker']],
    ['a.md', '=======', []],
    ['a.md', '>>>>>>>> eight', []],
    ['a.test.ts', 'it.only("x", () => {});', ['focused-test']],
    ['a.test.ts', 'test.concurrent.only.each([1])("x");', ['focused-test']],
    ['a.test.ts', 'fit("x", () => {});', ['focused-test']],
    ['a.ts', 'model.fit(x); fit(x);', []],
    ['a.test.ts', '// it.only("x")', []],
    ['a.test.ts', 'split.only("x")', []],
    ['spec/a_spec.rb', 'it "x", focus: true do', ['focused-test']],
    ['spec/a_spec.rb', 'it "x", :focus do', ['focused-test']],
    ['a.rb', 'fit = 1', []],
    ['a.c', '/* TODO */', ['todo']],
    ['a.c', '// XXX', ['todo']],
    ['a.c', 'TODOS', []],
    ['a.c', 'end ', ['whitespace']],
    ['a.c', ' \tx', ['whitespace']],
    ['a.c', '\t x', []],
    ['a.md', 'break  ', []],
    ['fix.patch', ' ', []],
  ])('in %s: %j gives %j', (path, line, kinds) => {
    expect(kindsOf(path, line)).toEqual(kinds);
  });

  it('gives white space one finding per file, at the first line, with the number of the others', () => {
    expect(inspect(append('a.c', 'x ', 'y', 'z ', '\t '), append('b.c', 'x '))).toMatchObject({
      findings: [
        { file: 'a.c', line: 2, message: expect.stringContaining('2 later lines') },
        { file: 'b.c', line: 2, message: expect.not.stringContaining('later') },
      ],
    });
  });

  it('puts the findings of a file in the order of its lines', () => {
    const { findings } = inspect(append('a.ts', 'x ', '// TODO', 'y\r', 'debugger', '// TODO'));
    expect(findings.map(({ line, kind }) => `${line} ${kind}`)).toEqual([
      '2 whitespace',
      '3 todo',
      '4 mixed-line-endings',
      '5 debug-output',
      '6 todo',
    ]);
  });

  it('may give several findings for one line', () => {
    expect(kindsOf('a.test.ts', 'it.only("x", () => { console.log(1); }); // TODO ')).toEqual([
      'focused-test',
      'debug-output',
      'todo',
      'whitespace',
    ]);
  });
});

describe('line endings', () => {
  const added = (...lines: string[]) =>
    `--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1,${lines.length} @@\n${lines.map((line) => `+${line}\n`).join('')}`;
  const linesOf = (diff: string) =>
    inspect(diff)
      .findings.filter(({ kind }) => kind === 'mixed-line-endings')
      .map(({ line }) => line);

  it('of a new file are measured by most of its lines, and by the first of two equal halves', () => {
    expect(linesOf(added('a', 'b\r', 'c'))).toEqual([2]);
    expect(linesOf(added('a\r', 'b', 'c'))).toEqual([1]);
    expect(linesOf(added('a', 'b\r', 'c\r', 'd', 'e'))).toEqual([2]);
    expect(linesOf(added('a\r', 'b'))).toEqual([2]);
    expect(linesOf(added('a\r', 'b\r'))).toEqual([]);
  });

  it('do not count the last line of a file that never had a newline at its end', () => {
    const mark = '\\ No newline at end of file\n';
    const diff = `--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\r\n-two\n${mark}+TWO\n${mark}`;
    expect(inspect(diff).findings).toEqual([]);
  });

  it('do not make white space at the end of a CRLF line', () => {
    expect(inspect(added('a\r', 'b\r')).findings).toEqual([]);
    expect(inspect(added('a \r')).findings).toMatchObject([{ kind: 'whitespace', line: 1 }]);
  });
});

describe('the whole diff', () => {
  it(`is very large above ${LARGE_CHANGE_LINES} changed lines, not at them`, () => {
    const lines = (count: number) => Array.from({ length: count }, (_, index) => `line ${index}`);
    expect(inspect(append('a.txt', ...lines(LARGE_CHANGE_LINES))).findings).toEqual([]);
    expect(inspect(append('a.txt', ...lines(600)), append('b.txt', ...lines(401))).findings).toMatchObject([
      { kind: 'large-change', message: expect.stringContaining('1001 lines in 2 files') },
    ]);
  });

  it('keeps the gravest findings above the maximum, in the order of the diff, and counts the others', () => {
    const todos = Array.from({ length: MAX_FINDINGS }, () => '// TODO');
    const { findings, omittedFindings } = inspect(append('a.ts', ...todos), append('b.ts', 'debugger', '<<<<<<< x'));
    expect(findings).toHaveLength(MAX_FINDINGS);
    expect(omittedFindings).toBe(2);
    expect(findings[0]).toMatchObject({ file: 'a.ts', line: 2 });
    expect(findings.slice(-3)).toMatchObject([
      { file: 'a.ts', kind: 'todo' },
      { file: 'b.ts', line: 2, kind: 'debug-output' },
      { file: 'b.ts', line: 3, kind: 'conflict-marker' },
    ]);
  });

  it('gives each finding the severity of its kind', () => {
    const { findings } = inspect(append('a.ts', 'debugger', '// TODO', '<<<<<<< x'));
    expect(findings.map(({ severity }) => severity)).toEqual(['warning', 'info', 'error']);
    for (const { kind, severity } of findings) expect(severity).toBe(SEVERITY_OF[kind]);
  });
});

const before = new Map<string, string | undefined>();

/** Changes variables of this process until `restoreEnvironment`; `undefined` takes one away. */
export function changeEnvironment(variables: Readonly<Record<string, string | undefined>>): void {
  for (const [name, value] of Object.entries(variables)) {
    if (!before.has(name)) before.set(name, process.env[name]);
    set(name, value);
  }
}

export function restoreEnvironment(): void {
  for (const [name, value] of before) set(name, value);
  before.clear();
}

// Assigned, `undefined` would become a text.
function set(name: string, value: string | undefined): void {
  if (value === undefined) delete process.env[name];
  else process.env[name] = value;
}

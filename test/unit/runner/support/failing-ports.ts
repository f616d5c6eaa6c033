/** Fails a port call before it or after its effect. */
export type PortFailure = 'before' | 'after';

/** The same ports, whose calls fail when `decide` says so. `calls` names each, for instance `items.put`. */
export function failingPorts<Ports extends object>(
  ports: Ports,
  decide: (call: { readonly name: string; readonly number: number }) => PortFailure | undefined,
): { readonly ports: Ports; readonly calls: readonly string[] } {
  const calls: string[] = [];
  const wrap = (port: string, target: object): object =>
    new Proxy(target, {
      get: (_, member) => {
        const method: unknown = Reflect.get(target, member);
        if (typeof method !== 'function') return method;
        return async (...args: unknown[]): Promise<unknown> => {
          const name = `${port}.${String(member)}`;
          calls.push(name);
          const failure = decide({ name, number: calls.length });
          if (failure === 'before') throw new Error(`${name} failed.`);
          const result: unknown = await method.apply(target, args);
          if (failure === 'after') throw new Error(`The answer of ${name} was lost.`);
          return result;
        };
      },
    });
  const entries = Object.entries(ports).map(([name, port]) => [name, name === 'clock' ? port : wrap(name, port)]);
  return { ports: Object.fromEntries(entries) as Ports, calls };
}

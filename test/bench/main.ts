import { bundleFigures } from './bundle.ts';
import { engineFigures } from './engine.ts';
import type { Figure } from './figure.ts';
import { storeFigures } from './store.ts';

const GROUPS: Readonly<Record<string, () => Promise<readonly Figure[]>>> = {
  engine: engineFigures,
  store: storeFigures,
  bundle: bundleFigures,
};

const asked = process.argv.slice(2).filter((name) => !name.startsWith('--'));
const unknown = asked.filter((name) => !Object.hasOwn(GROUPS, name));
if (unknown.length > 0) {
  console.error(`There is no bench "${unknown.join('", "')}". Use: ${Object.keys(GROUPS).join(', ')}.`);
  process.exit(64);
}
for (const [name, measure] of Object.entries(GROUPS)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  for (const figure of await measure()) console.log(JSON.stringify(figure));
}

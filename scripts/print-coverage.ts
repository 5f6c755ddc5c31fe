/** Prints the coverage of the gate's rules and of its HTTP surface in the last `npm run test:coverage`. */
import { readFileSync } from 'node:fs';
import { join, sep } from 'node:path';

type Measure = 'lines' | 'branches';
type Summary = Record<string, Record<Measure, { total: number; covered: number }>>;

const ROOT = join(import.meta.dirname, '..');
const FOLDERS = ['packages/server/src/gate', 'packages/server/src/http'];

const summary = JSON.parse(
  readFileSync(join(ROOT, 'build/coverage/coverage-summary.json'), 'utf8'),
) as Summary;

function percentOf(folder: string, measure: Measure): string {
  const files = Object.entries(summary).filter(([file]) => file.startsWith(join(ROOT, folder) + sep));
  const sum = (part: 'total' | 'covered') => files.reduce((all, [, file]) => all + file[measure][part], 0);
  return ((100 * sum('covered')) / sum('total')).toFixed(2);
}

for (const folder of FOLDERS)
  console.log(
    `${folder}: ${percentOf(folder, 'lines')} % of lines, ${percentOf(folder, 'branches')} % of branches`,
  );

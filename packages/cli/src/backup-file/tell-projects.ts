import type { CheckedProject, Manifest } from '@permitry/server/ops';
import { counted } from '../printing/say.ts';

type Told = Manifest['projects'][number] & Partial<Pick<CheckedProject, 'lacks'>>;

export function tellProjects(projects: readonly Told[]): string {
  return projects
    .map(({ id, name, seq, hash, lacks }) => {
      const head = hash === null ? 'no audit log yet' : `head ${seq}:${hash}`;
      const lacking =
        lacks === undefined || lacks === null
          ? ''
          : lacks === 0
            ? '\n          lacks no records, compared with the head in --since'
            : `\n          lacks ${counted(lacks, 'record')} after ${seq}, compared with the head in --since`;
      return `  project ${id} "${name}"\n          ${head}${lacking}\n`;
    })
    .join('');
}

export function projectsToJson(projects: readonly Told[]): object[] {
  return projects.map(({ id, name, seq, hash, head, lacks }) => ({
    id,
    name,
    seq,
    hash,
    head,
    ...(lacks === undefined ? {} : { lacks }),
  }));
}

export function sizeOf(bytes: number): string {
  const [unit, size] = bytes < 1e6 ? ['kB', bytes / 1e3] : ['MB', bytes / 1e6];
  return `${size.toLocaleString('en', { maximumFractionDigits: 1 })} ${unit}`;
}

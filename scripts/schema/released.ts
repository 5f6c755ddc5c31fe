/** A released migration never changes. The digest of its file proves it. */
import { createHash } from 'node:crypto';

export type Digests = Readonly<Record<string, string>>;

interface Migrations {
  /** By name. */
  files: Readonly<Record<string, string>>;
  released: Digests;
  /** The first migration of each dialect as generated from the tables. */
  fromTables: Readonly<Record<string, string>>;
}

export function digestsOf(files: Migrations['files']): Digests {
  const digests = Object.entries(files).map(([name, text]) => [
    name,
    createHash('sha256').update(text).digest('hex'),
  ]);
  return Object.fromEntries(digests) as Digests;
}

/** Files that `npm run schema` still writes. None after the first release. */
export function toWrite({ released, fromTables }: Omit<Migrations, 'files'>): Migrations['files'] {
  return Object.fromEntries(Object.entries(fromTables).filter(([name]) => released[name] === undefined));
}

export function findProblems({ files, released, fromTables }: Migrations): string[] {
  const digests = digestsOf(files);
  return [
    ...Object.entries(toWrite({ released, fromTables }))
      .filter(([name, wanted]) => files[name] !== wanted)
      .map(([name]) => `${name} does not match the tables. Run: npm run schema`),
    ...Object.entries(released)
      .filter(([name, digest]) => digests[name] !== digest)
      .map(
        ([name]) => `${name} was released and must not change. Restore it, and add a new migration instead`,
      ),
  ];
}

/** Rules that a later migration must follow on a database that is large and in use. The migration's text is checked. */
import { inWordsOf, type Migration } from '../../src/storage/migrations/migration.ts';

const TAKES_AWAY =
  'the release before reads it: drop, rename or alter it one release later, and raise servesFrom';
const RULES: readonly [pattern: RegExp, sentence: string][] = [
  [/\b(drop|rename|alter column)\b/, TAKES_AWAY],
  [
    /\badd column\b(?=[^,;]*\bnot null\b)(?![^,;]*\bdefault\b)/,
    'the release before writes rows without it: let it be null, or give it a default',
  ],
  [
    /\badd column\b[^,;]*\b(check|references|unique|primary)\b/,
    'all rows are read under the lock: add the constraint "not valid", and validate it in a step of its own',
  ],
  [/\badd constraint\b(?![^;]*\bnot valid\b)/, 'all rows are read under the lock: add it "not valid"'],
  [/\b(update|delete from|insert into)\b/, 'rows are locked until all are written: make it a fill'],
];
const INDEX = /\bcreate (?:unique )?index \w+ on (\w+)/g;

/** Returns a sentence for each broken rule. None: the previous version may serve beside the migration. */
export function findBreaches(migration: Migration, version: number): string[] {
  const texts = migration.steps.flatMap((step) =>
    'statement' in step ? [inWordsOf('postgres', step.statement).toLowerCase()] : [],
  );
  const breaches = RULES.filter(
    ([pattern, sentence]) =>
      texts.some((text) => pattern.test(text)) &&
      !(sentence === TAKES_AWAY && migration.servesFrom === version),
  ).map(([, sentence]) => sentence);
  const newTables = texts.flatMap((text) =>
    [...text.matchAll(/\bcreate table (\w+)/g)].map(([, name]) => name),
  );
  const isBuiltInPlace = texts.some((text) =>
    [...text.matchAll(INDEX)].some(([, table]) => !newTables.includes(table)),
  );
  return [
    ...breaches,
    ...(isBuiltInPlace ? ['nobody writes while an index is built like this: make it an index step'] : []),
    ...(migration.servesFrom > version ? ['servesFrom is a version that comes after it'] : []),
  ];
}

import { accessSync, constants, existsSync } from 'node:fs';
import { findNewerSchema } from '../../storage/outdated-schema-error.ts';
import { databaseFile } from '../../storage/sqlite/open-database.ts';
import { openUnchanged } from '../../storage/sqlite/open-unchanged.ts';
import { isServed } from '../../storage/sqlite/serving-lock.ts';
import { assertMoveDone } from '../move/move-state.ts';
import { assertNotMoved } from '../move/moved-mark.ts';
import { type Finding, findingsOr, problem, warning } from './finding.ts';

/** Checks the database of a data directory. @throws the error that prevents reading it */
export async function checkDirectory(directory: string): Promise<readonly Finding[]> {
  assertNotMoved(directory);
  const file = databaseFile(directory);
  for (const path of [file, `${file}-wal`, `${file}-shm`].filter((one) => existsSync(one)))
    accessSync(path, constants.R_OK | constants.W_OK);
  const served = isServed(directory);
  const opened = openUnchanged(directory, { isServed: served });
  if (!opened) {
    return [
      warning(
        'database',
        `${file} was not closed properly, so it was not checked; the next start recovers it.`,
      ),
    ];
  }
  const { schema, read, close } = opened;
  const newer = findNewerSchema(schema);
  try {
    if (newer === undefined && schema.version >= schema.needed) await assertMoveDone(read);
  } finally {
    close();
  }
  if (newer !== undefined) return [problem('database', newer)];
  const findings: Finding[] = [];
  if (schema.version < schema.needed)
    findings.push(
      warning(
        'database',
        `${file} has schema version ${schema.version}; the next start brings it to ${schema.needed}.`,
      ),
    );
  if (served)
    findings.push(warning('database', `A gate is serving ${directory}; a second one cannot start there.`));
  return findingsOr(findings, 'database', `${file} is writable, with schema version ${schema.version}.`);
}

import { existsSync } from 'node:fs';
import { baseUrlFor, type Config } from '../../config.ts';
import type { HeardGate } from '../../gate/heartbeats/heartbeat.ts';
import { listServingGates } from '../../gate/heartbeats/serving-gates.ts';
import type { Instant } from '../../gate/kernel/instant.ts';
import type { DatabaseUrl } from '../../settings/database-url.ts';
import { findNewerSchema } from '../../storage/outdated-schema-error.ts';
import { type InspectedDatabase, inspectDatabase } from '../../storage/postgres/inspect-database.ts';
import { assertMoveDone } from '../move/move-state.ts';
import { findLoss, servedUntilFile } from '../restore-detection/loss-watch.ts';
import { findOtherDatabase } from '../restore-detection/served-database.ts';
import { type Finding, findingsOr } from './finding.ts';

/**
 * Checks a PostgreSQL database. `checkMore` runs further checks in the same database.
 * @throws the error that prevents reading it
 */
export async function checkPostgres(
  config: Config,
  url: DatabaseUrl,
  checkMore: (database: InspectedDatabase) => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  const database = await inspectDatabase(url.reveal());
  try {
    const { version, needed } = database.schema;
    const findings = schemaFindings(database, config.migrateAtStart);
    if (version === 0) return findings;
    const gates = await listServingGates(database.read, clockOf(database));
    findings.push(...(await servedFindings(database, config, gates)));
    const serving = gates.length === 1 ? '1 gate serves it' : `${gates.length} gates serve it`;
    const ok = `${url.shown} is writable, with schema version ${version} of ${needed}; ${serving} now.`;
    return [...findingsOr(findings, 'database', ok), ...(await checkMore(database))];
  } finally {
    await database.close();
  }
}

function schemaFindings(
  { schema, closedTables, mayMigrate }: InspectedDatabase,
  migrates: boolean,
): Finding[] {
  const { version, needed } = schema;
  const findings: Finding[] = [];
  const say = (state: Finding['state'], message: string) =>
    findings.push({ part: 'database', state, message });
  const newer = findNewerSchema(schema);
  if (newer !== undefined) say('problem', newer);
  if (version < needed) {
    const has =
      version === 0 ? 'The database is empty' : `The database has schema version ${version} of ${needed}`;
    if (!migrates) say('problem', `${has}, and PERMITRY_MIGRATE_AT_START is false; run: permitry migrate`);
    else if (mayMigrate) say('warning', `${has}; the next start brings it up to date.`);
    else say('problem', `${has}, and this role may not change tables; run permitry migrate as their owner.`);
  }
  if (closedTables.length > 0)
    say(
      'problem',
      `This role may not read and write ${closedTables.join(', ')}; grant it select, insert, update, delete on all tables.`,
    );
  return findings;
}

function clockOf({ clockAheadMs }: InspectedDatabase): Instant {
  return new Date(Date.now() + clockAheadMs).toISOString();
}

async function servedFindings(
  database: InspectedDatabase,
  config: Config,
  gates: readonly HeardGate[],
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  const say = (state: Finding['state'], message: string) =>
    findings.push({ part: 'database', state, message });
  await assertMoveDone(database.read);
  const other = await findOtherDatabase(database);
  if (other !== undefined) say('problem', other);
  const file = servedUntilFile(config.dataDir);
  const loss = await findLoss(database, {
    file: existsSync(file) ? file : undefined,
    now: clockOf(database),
  });
  if (loss !== undefined) say('problem', loss.sentence);
  const issuer = baseUrlFor(config, config.port);
  const stranger = gates.find(({ baseUrl }) => baseUrl !== issuer);
  if (stranger)
    say(
      'problem',
      `A gate serves this database as ${stranger.baseUrl}, but this one is configured as ${issuer}; give all gates the same PERMITRY_BASE_URL.`,
    );
  return findings;
}

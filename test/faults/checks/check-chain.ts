/** The audit log of a gate, exported and verified as its operator would, against a head saved earlier. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AuditRecord } from '@permitry/protocol';
import type { Cast } from '../gate/cast.ts';
import type { AnyClient } from '../gate/client.ts';
import { BASE_URL, permitry } from '../gate/gate-process.ts';

export interface CheckedChain {
  records: AuditRecord[];
  /** `SEQ:HASH` of the last record, for the next check. */
  head: string;
  findings: string[];
}

/**
 * @param dataDir Null: the settings name a database.
 * @param folder Where to write the export.
 */
export async function checkChain(
  client: AnyClient,
  cast: Cast,
  {
    dataDir,
    env: more = {},
    folder,
    since,
  }: { dataDir: string | null; env?: NodeJS.ProcessEnv; folder: string; since?: string | undefined },
): Promise<CheckedChain> {
  const findings: string[] = [];
  const byApi = await client.get(`/v1/projects/${cast.projectId}/audit/verify`, cast.secretKey);
  if (byApi.valid !== true) findings.push(`audit/verify answers ${JSON.stringify(byApi.first_bad)}`);
  const file = join(folder, 'audit.jsonl');
  const env = { PERMITRY_BASE_URL: BASE_URL, ...more };
  const where = [...(dataDir === null ? [] : ['--data', dataDir]), '--project', cast.projectId];
  const exported = await permitry(['audit', 'export', ...where, '--out', file], env);
  if (exported.code !== 0)
    return { records: [], head: '', findings: [...findings, `export: ${exported.stderr}`] };
  const against = since === undefined ? [] : ['--since', since];
  const verified = await permitry(['audit', 'verify', file, '--json', ...against]);
  if (verified.code !== 0) findings.push(`permitry audit verify: ${verified.stdout}${verified.stderr}`);
  const records = readRecords(readFileSync(file, 'utf8'));
  const last = records.at(-1);
  return { records, head: `${last?.seq}:${last?.hash}`, findings };
}

/** The lines of an export except the first, which is its header. */
export function readRecords(text: string): AuditRecord[] {
  return text
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => JSON.parse(line) as AuditRecord);
}

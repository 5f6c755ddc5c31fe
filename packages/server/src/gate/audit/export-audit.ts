import { AUDIT_FORMAT, type AuditExportHeader } from '@permitry/protocol';
import { assertScope } from '../access/assert-scope.ts';
import type { Caller } from '../access/caller.ts';
import { unknownProject } from '../kernel/not-found.ts';
import type { AuditDeps } from './audit-deps.ts';
import { type ExportRange, findPart, parseExportRange } from './export-range.ts';
import { sealedRecords } from './sealed-records.ts';

/**
 * Exports the project's audit log, or a range of it, up to the head at the moment of the call. The format is JSON Lines
 * (without line ends) as in protocol's `audit-export.ts`. Any refusal comes before the first line.
 *
 * @throws GateError `project_not_found`, `forbidden`, `invalid_fields`
 * @example for await (const line of await exportAudit(gate, caller, projectId)) file.write(`${line}\n`);
 * @example await exportAudit(gate, caller, projectId, { from: '2026-10-01', to: '2026-11-01' });
 */
export async function exportAudit(
  gate: AuditDeps,
  caller: Caller,
  projectId: string,
  range: ExportRange = {},
): Promise<AsyncIterable<string>> {
  const { read } = gate.storage;
  assertScope(caller, 'audit:read', projectId);
  const wanted = parseExportRange(range);
  if (!(await read.findProject(projectId))) throw unknownProject();
  await gate.ledger.sealNow(projectId);
  const head = await read.findChainHead(projectId);
  const end = head?.seq ?? 0;
  const part = wanted && (await findPart(read, projectId, wanted, head));
  const { after, through } = part ?? { after: { seq: 0 }, through: { seq: end } };
  await gate.tokens.signer.refresh();
  return toLines(
    {
      format: AUDIT_FORMAT,
      project_id: projectId,
      issuer: gate.tokens.issuer,
      exported_at: gate.clock.now(),
      jwks: { keys: [...gate.tokens.signer.publicKeys()] },
      head: head && through.seq === end ? head.jws : null,
      ...(part === undefined ? {} : { part }),
    },
    sealedRecords(read, projectId, through.seq, after.seq),
  );
}

async function* toLines(
  header: AuditExportHeader,
  records: AsyncIterable<object>,
): AsyncGenerator<string, void, void> {
  yield JSON.stringify(header);
  for await (const record of records) yield JSON.stringify(record);
}

import { call } from '../exchange.ts';
import { paint } from '../narrator.ts';
import { readProperty } from '../properties.ts';
import type { Scene } from '../scene.ts';

/** The events are in a hash chain, which the gate recomputes. */
export async function readAudit({ narrator, owner, gate }: Scene): Promise<void> {
  narrator.step('The audit log is one unbroken chain');
  const path = `/v1/projects/${gate.credentials.project_id}/audit`;
  const read = await call(owner, 'GET', `${path}?order=asc&limit=200`);
  narrator.calls(read);
  const records = Array.isArray(read.answer.data) ? read.answer.data : [];
  narrator.assert(
    read.status === 200 && records.length > 0,
    `${paint('bold', String(read.status))} ${records.length} records`,
  );
  narrator.table(
    records.map((record) => [
      String(readProperty(record, 'seq')).padStart(2),
      `${String(readProperty(record, 'type')).padEnd(18)} ${String(readProperty(record, 'actor.display'))}`,
    ]),
  );

  const verified = await call(owner, 'GET', `${path}/verify`);
  narrator.tell(verified, {
    status: 200,
    properties: { valid: true, count: records.length, unsealed: 0, 'head.seq': records.length },
    show: ['head.hash'],
  });
  narrator.why(
    'Each record holds the hash of the one before, and the head is signed. Keep the head elsewhere, and any changed, removed or added record will show.',
  );
}

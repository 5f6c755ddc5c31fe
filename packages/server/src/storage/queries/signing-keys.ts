/** Owns the signing keys that are stored in the database. */
import type {
  SigningKeyRecordReader,
  SigningKeyRecordWriter,
} from '../../gate/signing-keys/signing-key-record.ts';
import { type OverRunner, prepare } from '../sql/prepared-query.ts';
import { listIn } from '../sql/read-statements.ts';
import { signingKeys } from '../sql/tables.ts';
import { change, save } from '../sql/write-statements.ts';

const findRevision = prepare((db, _: object) => db.selectFrom('signing_key_revision').select('revision'));
const list = listIn(signingKeys, { orderBy: 'kid' });
const put = save(signingKeys, { by: ['kid'], set: ['document', 'seal'] });
const raiseRevision = change((db, $: { from: number }) =>
  db
    .updateTable('signing_key_revision')
    .set((eb) => ({ revision: eb('revision', '+', 1) }))
    .where('revision', '=', $.from),
);

export const signingKeyQueries: OverRunner<SigningKeyRecordReader & SigningKeyRecordWriter> = {
  findSigningKeyRevision: async (run) => (await run.first(findRevision, {}))?.revision ?? 0,

  listSigningKeyRecords: (run) => list(run, {}),

  async swapSigningKeyRecords(run, revision, records) {
    if ((await raiseRevision(run, { from: revision })) === 0) return false;
    for (const record of records) await put(run, record);
    return true;
  },
};

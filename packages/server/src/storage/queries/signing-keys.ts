/** Owns the signing keys where they lie in the database. */
import type {
  SigningKeyRecordReader,
  SigningKeyRecordWriter,
} from '../../gate/signing-keys/signing-key-record.ts';
import { type OverRunner, prepare } from '../sql/prepared-query.ts';

const findRevision = prepare((db, _: object) => db.selectFrom('signing_key_revision').select('revision'));

const listRecords = prepare((db, _: object) =>
  db.selectFrom('signing_keys').select(['kid', 'document', 'seal']).orderBy('kid'),
);

const putRecord = prepare((db, $: { kid: string; document: string; seal: string }) =>
  db
    .insertInto('signing_keys')
    .values({ kid: $.kid, document: $.document, seal: $.seal })
    .onConflict((conflict) => conflict.column('kid').doUpdateSet({ document: $.document, seal: $.seal })),
);

const bumpRevision = prepare((db, _: object) =>
  db.updateTable('signing_key_revision').set((eb) => ({ revision: eb('revision', '+', 1) })),
);

export const signingKeyReads: OverRunner<SigningKeyRecordReader> = {
  async findSigningKeyRevision(run) {
    return (await run.first(findRevision, {}))?.revision ?? 0;
  },

  listSigningKeyRecords: (run) => run.all(listRecords, {}),
};

export const signingKeyWrites: OverRunner<SigningKeyRecordWriter> = {
  async putSigningKeyRecord(run, { kid, document, seal }) {
    await run.change(putRecord, { kid, document, seal });
    await run.change(bumpRevision, {});
  },
};

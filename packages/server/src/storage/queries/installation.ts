import type { InstallationReader, InstallationWriter } from '../../gate/installation/installation.ts';
import { type OverRunner, prepare } from '../sql/prepared-query.ts';

const findFact = prepare((db, $: { name: string }) =>
  db.selectFrom('installation').select('value').where('name', '=', $.name),
);

const insertFact = prepare((db, $: { name: string; value: string }) =>
  db
    .insertInto('installation')
    .values({ name: $.name, value: $.value })
    .onConflict((conflict) => conflict.column('name').doNothing()),
);

const putFact = prepare((db, $: { name: string; value: string }) =>
  db
    .insertInto('installation')
    .values({ name: $.name, value: $.value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: $.value })),
);

const raiseFact = prepare((db, $: { name: string; value: string }) =>
  db
    .insertInto('installation')
    .values({ name: $.name, value: $.value })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet({ value: $.value }).where('installation.value', '<', $.value),
    ),
);

const deleteFact = prepare((db, $: { name: string }) =>
  db.deleteFrom('installation').where('name', '=', $.name),
);

const deleteMarks = prepare((db, $: { before: string }) =>
  db.deleteFrom('installation').where('name', 'like', 'served_until/%').where('value', '<', $.before),
);

export const installationReads: OverRunner<InstallationReader> = {
  async findInstallationFact(run, name) {
    return (await run.first(findFact, { name }))?.value;
  },
};

export const installationWrites: OverRunner<InstallationWriter> = {
  async insertInstallationFact(run, name, value) {
    return (await run.change(insertFact, { name, value })) > 0;
  },

  async putInstallationFact(run, name, value) {
    await run.change(putFact, { name, value });
  },

  async raiseInstallationFact(run, name, value) {
    await run.change(raiseFact, { name, value });
  },

  async deleteInstallationFact(run, name) {
    await run.change(deleteFact, { name });
  },

  async deleteMarksOfTime(run, before) {
    await run.change(deleteMarks, { before });
  },
};

import type { InstallationReader, InstallationWriter } from '../../gate/installation/installation.ts';
import type { OverRunner } from '../sql/prepared-query.ts';
import { change, deleteFrom, findIn, insertion, insertOnce, save } from '../sql/statements.ts';
import { installation } from '../sql/tables.ts';

const find = findIn(installation, 'name');
const insert = insertOnce(installation);
const put = save(installation, { by: ['name'], set: ['value'] });
const deleteFact = deleteFrom(installation, 'name');

const raise = change((db, $: { name: string; value: string }) =>
  insertion(db, installation, $).onConflict((conflict) =>
    conflict.column('name').doUpdateSet({ value: $.value }).where('installation.value', '<', $.value),
  ),
);

const deleteMarks = change((db, $: { before: string }) =>
  db.deleteFrom('installation').where('name', 'like', 'served_until/%').where('value', '<', $.before),
);

export const installationReads: OverRunner<InstallationReader> = {
  async findInstallationFact(run, name) {
    return (await find(run, { name }))?.value;
  },
};

export const installationWrites: OverRunner<InstallationWriter> = {
  insertInstallationFact: (run, name, value) => insert(run, { name, value }),

  putInstallationFact: (run, name, value) => put(run, { name, value }),

  async raiseInstallationFact(run, name, value) {
    await raise(run, { name, value });
  },

  async deleteInstallationFact(run, name) {
    await deleteFact(run, { name });
  },

  async deleteMarksOfTime(run, before) {
    await deleteMarks(run, { before });
  },
};

import type { InstallationReader, InstallationWriter } from '../../gate/installation/installation.ts';
import type { OverRunner } from '../sql/prepared-query.ts';
import { findIn } from '../sql/read-statements.ts';
import { installation } from '../sql/tables.ts';
import { change, deleteFrom, insertOnce, insertOr, save } from '../sql/write-statements.ts';

const find = findIn(installation, 'name');
const insert = insertOnce(installation, 'name');
const put = save(installation, { by: ['name'], set: ['value'] });
const deleteFact = deleteFrom(installation, 'name');

const raise = insertOr(installation, (conflict) =>
  conflict
    .column('name')
    .doUpdateSet((eb) => ({ value: eb.ref('excluded.value') }))
    .whereRef('installation.value', '<', 'excluded.value'),
);

const deleteMarks = change((db, $: { before: string }) =>
  db.deleteFrom('installation').where('name', 'like', 'served_until/%').where('value', '<', $.before),
);

export const installationQueries: OverRunner<InstallationReader & InstallationWriter> = {
  findInstallationFact: async (run, name) => (await find(run, { name }))?.value,

  insertInstallationFact: (run, name, value) => insert(run, { name, value }),

  putInstallationFact: (run, name, value) => put(run, { name, value }),

  raiseInstallationFact: (run, name, value) => raise(run, { name, value }),

  deleteInstallationFact: (run, name) => deleteFact(run, { name }),

  deleteMarksOfTime: (run, before) => deleteMarks(run, { before }),
};

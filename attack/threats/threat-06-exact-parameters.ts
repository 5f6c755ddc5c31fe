/**
 * Threat 6: a permit is for exactly the approved action and parameters, by RFC 8785. The gate refuses anything that two
 * readers could understand differently.
 */
import type { CatalogueEntry } from '../attack-case.ts';
import { check, expectDone, expectInvalidPermit, expectRefused } from '../range/expect.ts';
import {
  AMBIGUOUS_PARAMETERS,
  OTHER_ACTIONS,
  OTHER_PARAMETERS,
  SAME_PARAMETERS,
} from '../tables/parameter-spellings.ts';

/** Sent instead of the parameters. */
const NO_OBJECTS = ['[]', '"a"', '1', 'true', 'null'].map((text) => [text, text] as const);

export const EXACT_PARAMETERS: readonly CatalogueEntry[] = [
  {
    id: 'T06-other-parameters',
    title: 'other parameters than those approved',
    threats: ['6'],
    aisvs: ['9.2.8', '9.5.1', '9.5.2'],
    attack:
      'A permit is checked and used with parameters that differ in a digit, a byte, a type, a null, an order of elements or a normal form.',
    expected: 'permit_invalid, params_mismatch; the permit stays unused.',
    needs: ['agent', 'verifier', 'decider', 'observer'],
    async run({ main }) {
      for (const [what, approved, other] of OTHER_PARAMETERS) {
        const { id, shown } = await main.newPermit({ params: approved });
        await main.unchanged(what, { intents: [id], whole: false }, async () => {
          for (const surface of main.surfaces) {
            for (const consume of [false, true]) {
              const answer = await surface.verify(main.verifierKey, { ...shown, params: other, consume });
              expectInvalidPermit(
                surface.name,
                answer,
                'params_mismatch',
                `${what}: ${approved} approved, ${other} shown`,
              );
            }
          }
        });
        expectDone(
          await main.surfaces[0].verify(main.verifierKey, shown),
          `${what}: checking what was approved`,
        );
      }
      return `${OTHER_PARAMETERS.length} pairs, both surfaces`;
    },
  },
  {
    id: 'T06-other-action',
    title: 'another action than the one approved',
    threats: ['6'],
    aisvs: ['9.2.8', '9.5.1', '9.5.2'],
    attack: 'A permit is shown for actions with names near to its own, and for patterns.',
    expected: 'permit_invalid, action_mismatch; the permit stays unused.',
    needs: ['agent', 'verifier', 'decider', 'observer'],
    async run({ main }) {
      const own = main.action('payments.refund');
      const prefix = own.slice(0, -'payments.refund'.length);
      const near = OTHER_ACTIONS.map((name) => (name === '' ? name : prefix + name));
      const { id, shown } = await main.newPermit({ action: own });
      await main.unchanged('another action', { intents: [id], whole: false }, async () => {
        for (const action of [
          ...near,
          `${prefix}payments.*`,
          own.toUpperCase(),
          'not an action!',
          'a'.repeat(129),
        ]) {
          for (const surface of main.surfaces) {
            for (const consume of [false, true]) {
              const answer = await surface.verify(main.verifierKey, { ...shown, action, consume });
              expectInvalidPermit(
                surface.name,
                answer,
                'action_mismatch',
                `the action ${action.slice(0, 60)}`,
              );
            }
          }
        }
        for (const action of [1, null, true, [own], { name: own }]) {
          for (const surface of main.surfaces) {
            const answer = await surface.verify(main.verifierKey, { ...shown, action, consume: true });
            const fields = [{ path: '/action' }];
            expectRefused(surface.name, answer, 400, 'INVALID_FIELDS', `the action ${action}`, { fields });
          }
        }
      });
    },
  },
  {
    id: 'T06-two-readings',
    title: 'parameters that two readers read differently',
    threats: ['6', '11'],
    aisvs: ['9.2.2', '9.2.8'],
    attack:
      'Duplicate names, numbers beyond 2^53, lone surrogates, __proto__ and near-JSON are asked for, and shown with a permit.',
    expected: '400, before anything is hashed; no intent, and the permit stays unused.',
    needs: ['agent', 'verifier', 'decider', 'observer'],
    async run({ main }) {
      const { id, shown } = await main.newPermit({ params: { a: 1 } });
      await main.unchanged('ambiguous parameters', { intents: [id], whole: false }, async () => {
        for (const [what, params] of [...AMBIGUOUS_PARAMETERS, ...NO_OBJECTS]) {
          for (const surface of main.surfaces) {
            const asked = await surface.create(main.agentKey, main.action('twice'), params);
            expectRefused(surface.name, asked, 400, 'INVALID_FIELDS', `asking with ${what}`);
            const used = await surface.verify(main.verifierKey, { ...shown, params, consume: true });
            expectRefused(surface.name, used, 400, 'INVALID_FIELDS', `showing ${what}`);
          }
        }
      });
      return `${AMBIGUOUS_PARAMETERS.length} spellings, both surfaces`;
    },
  },
  {
    id: 'T06-same-parameters',
    title: 'the same parameters, spelled otherwise',
    threats: ['6'],
    aisvs: ['9.2.2', '9.2.8'],
    attack: 'None: an honest executor spells numbers, escapes and orders of members in its own way.',
    expected: 'The permit holds, and is used: a gate that refused everything would pass every other case.',
    needs: ['agent', 'verifier', 'decider', 'observer'],
    async run({ main }) {
      for (const [index, [what, approved, respelled]] of SAME_PARAMETERS.entries()) {
        const [a, b] = main.surfaces;
        const [first, second] = index % 2 === 0 ? [a, b] : [b, a];
        const { id, shown } = await main.newPermit({ params: approved, more: { via: first } });
        const checked = await main.unchanged(what, { intents: [id], whole: false }, async () =>
          expectDone(await first.verify(main.verifierKey, { ...shown, params: respelled }), what),
        );
        check(
          checked.body.valid === true && checked.body.bound === true && checked.body.consumed === false,
          `${what}: not valid`,
          checked,
        );
        const used = expectDone(
          await second.verify(main.verifierKey, { ...shown, params: respelled, consume: true }),
          what,
        );
        check(used.body.authorizes === true && used.body.consumed === true, `${what}: not used`, used);
      }
      return `${SAME_PARAMETERS.length} spellings`;
    },
  },
];

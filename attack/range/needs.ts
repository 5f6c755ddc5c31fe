/** The needs of cases, by name: whether each is met, and what to say when it is not. */
import type { Range } from './range.ts';

const NEEDS = {
  agent: ['an agent key (agent_key)', ({ main }) => main.keys.agent_key !== undefined],
  'other agent': [
    'a second agent (second_agent_key, or a credential that manages)',
    ({ main }) => main.keys.second_agent_key !== undefined || main.canManage,
  ],
  verifier: ['a verifier key (verifier_key)', ({ main }) => main.keys.verifier_key !== undefined],
  secret: ['a secret key (secret_key)', ({ main }) => main.keys.secret_key !== undefined],
  decider: [
    'a credential that decides (secret_key, or a person with the right to decide)',
    ({ main }) => main.findDecider !== undefined,
  ],
  observer: [
    'a credential that reads everything (secret_key, or an admin’s token)',
    ({ main }) => main.findObserver !== undefined,
  ],
  manager: [
    'who manages (in test mode secret_key, in live mode an admin with a password)',
    ({ main }) => main.canManage,
  ],
  'somebody who signs in': [
    'an approver with a password (people, with password)',
    ({ main }) => main.findSignIn !== undefined,
  ],
  viewer: ['a token of a viewer (people)', ({ main }) => main.people.some(({ role }) => role === 'viewer')],
  'three approvers': [
    'three people with tokens that may decide (people)',
    ({ main }) => main.approvers.length >= 3,
  ],
  'project-wide': [
    'leave to touch what concerns the whole project (disposable in the keys file, or --destructive)',
    ({ main }) => main.mayTouchProject,
  ],
  'two people in live mode': [
    'a project in live mode with an admin who has a password and a token to decide, and an approver’s token (people)',
    (range) => {
      const live = range.find('live');
      const admin = live?.managingPerson;
      return (
        admin?.rights.includes('decide') === true &&
        live?.keys.secret_key !== undefined &&
        live?.keys.agent_key !== undefined &&
        live.approvers.some(({ email }) => email !== admin.email)
      );
    },
  ],
  inside: [
    'the gate’s own process, for its clock and its rows: npx vitest run test/adversarial',
    ({ inside }) => inside !== undefined,
  ],
  neighbour: [
    'a second project with a secret key, agent key and verifier key',
    ({ findNeighbour }) =>
      findNeighbour?.keys.secret_key !== undefined &&
      findNeighbour.keys.agent_key !== undefined &&
      findNeighbour.keys.verifier_key !== undefined,
  ],
  'both modes': [
    'a project in test mode and one in live mode, each with agent, verifier and a credential that decides',
    (range) =>
      (['test', 'live'] as const).every((mode) => {
        const stage = range.find(mode);
        return (
          stage?.keys.agent_key !== undefined &&
          stage.keys.verifier_key !== undefined &&
          stage.findDecider !== undefined
        );
      }),
  ],
} as const satisfies Record<string, readonly [what: string, isMet: (range: Range) => boolean]>;

export type Need = keyof typeof NEEDS;

export function describeNeed(need: Need): string {
  return NEEDS[need][0];
}

/** What is missing for these needs, in words. */
export function missingFor(needs: readonly Need[], range: Range): readonly string[] {
  return needs.filter((need) => !NEEDS[need][1](range)).map(describeNeed);
}

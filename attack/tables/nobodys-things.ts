/** Well-formed IDs that name nothing. For the attack tool and the adversarial tests. */
import type { PathParts } from './path-parts.ts';

export const NOBODYS: PathParts = {
  project: 'prj_01hzzzzzzzzzzzzzzzzzzzzzzz',
  intent: 'int_01hzzzzzzzzzzzzzzzzzzzzzzz',
  agent: 'agt_01hzzzzzzzzzzzzzzzzzzzzzzz',
  key: 'key_01hzzzzzzzzzzzzzzzzzzzzzzz',
  user: 'usr_01hzzzzzzzzzzzzzzzzzzzzzzz',
  group: 'nobodys-group',
  proposal: 'prp_01hzzzzzzzzzzzzzzzzzzzzzzz',
  webhook: 'whk_01hzzzzzzzzzzzzzzzzzzzzzzz',
  delivery: 'dlv_01hzzzzzzzzzzzzzzzzzzzzzzz',
  upstream: 'ups_01hzzzzzzzzzzzzzzzzzzzzzzz',
};

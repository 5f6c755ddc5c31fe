/** All attacks, in the order of the threats. */
import type { CatalogueEntry } from './attack-case.ts';
import { KEYS_THAT_MAY_NOT } from './threats/threat-01-keys-that-may-not.ts';
import { NAMED_APPROVERS } from './threats/threat-02-named-approvers.ts';
import { ANOTHER_AGENT } from './threats/threat-02b-another-agent.ts';
import { MILDER_OUTCOMES } from './threats/threat-02c-milder-outcomes.ts';
import { SEPARATION_OF_DUTIES } from './threats/threat-03-separation-of-duties.ts';
import { ONE_PERSON_ONE_VOTE } from './threats/threat-04-one-person-one-vote.ts';
import { SAME_INSTANT } from './threats/threat-05-same-instant.ts';
import { EXACT_PARAMETERS } from './threats/threat-06-exact-parameters.ts';
import { FORGED_TOKENS } from './threats/threat-07-forged-tokens.ts';
import { USED_ONCE } from './threats/threat-08-used-once.ts';
import { LOST_ANSWERS } from './threats/threat-08b-lost-answers.ts';
import { NO_LONGER_HOLDS } from './threats/threat-09-no-longer-holds.ts';
import { ANOTHER_PROJECT } from './threats/threat-10-another-project.ts';
import { HOSTILE_REQUESTS } from './threats/threat-11-hostile-requests.ts';
import { HOSTILE_CONDITIONS } from './threats/threat-12-hostile-conditions.ts';
import { WHAT_IS_SEEN } from './threats/threat-13-what-is-seen.ts';
import { BROWSERS } from './threats/threat-14-browsers.ts';
import { PRIVATE_TARGETS_CASES } from './threats/threat-15-private-targets.ts';
import { GUESSING } from './threats/threat-16-guessing.ts';
import { CRASHES } from './threats/threat-17-crashes.ts';
import { THE_RECORD } from './threats/threat-18-the-record.ts';
import { SECRETS } from './threats/threat-19-secrets.ts';
import { PROGRAMS_THAT_MANAGE } from './threats/threat-20-programs-that-manage.ts';
import { PROGRAMS_THAT_APPROVE } from './threats/threat-21-programs-that-approve.ts';
import { NARROWED_APPROVERS } from './threats/threat-22-narrowed-approvers.ts';
import { WHAT_WAS_NOT_SHOWN } from './threats/threat-23-what-was-not-shown.ts';
import { LOOK_ALIKE_ADDRESSES } from './threats/threat-24-look-alike-addresses.ts';
import { INEXACT_NUMBERS_CASES } from './threats/threat-25-inexact-numbers.ts';
import { A_TWIN } from './threats/threat-27-a-twin.ts';

export const CATALOGUE: readonly CatalogueEntry[] = [
  ...KEYS_THAT_MAY_NOT,
  ...NAMED_APPROVERS,
  ...ANOTHER_AGENT,
  ...MILDER_OUTCOMES,
  ...SEPARATION_OF_DUTIES,
  ...ONE_PERSON_ONE_VOTE,
  ...SAME_INSTANT,
  ...EXACT_PARAMETERS,
  ...FORGED_TOKENS,
  ...USED_ONCE,
  ...LOST_ANSWERS,
  ...NO_LONGER_HOLDS,
  ...ANOTHER_PROJECT,
  ...HOSTILE_REQUESTS,
  ...HOSTILE_CONDITIONS,
  ...WHAT_IS_SEEN,
  ...BROWSERS,
  ...PRIVATE_TARGETS_CASES,
  ...GUESSING,
  ...CRASHES,
  ...THE_RECORD,
  ...SECRETS,
  ...PROGRAMS_THAT_MANAGE,
  ...PROGRAMS_THAT_APPROVE,
  ...NARROWED_APPROVERS,
  ...WHAT_WAS_NOT_SHOWN,
  ...LOOK_ALIKE_ADDRESSES,
  ...INEXACT_NUMBERS_CASES,
  ...A_TWIN,
];

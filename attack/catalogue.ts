/** All attacks, in the order of the threats. */
import type { CatalogueEntry } from './attack-case.ts';
import { ANOTHER_AGENT } from './cases/another-agent.ts';
import { ANOTHER_PROJECT } from './cases/another-project.ts';
import { EXACT_PARAMETERS } from './cases/exact-parameters.ts';
import { FORGED_TOKENS } from './cases/forged-tokens.ts';
import { GIVEN_BACK } from './cases/given-back.ts';
import { GUESSING } from './cases/guessing.ts';
import { HOSTILE_CONDITIONS } from './cases/hostile-conditions.ts';
import { HOSTILE_REQUESTS } from './cases/hostile-requests.ts';
import { INEXACT_NUMBERS_CASES } from './cases/inexact-numbers.ts';
import { KEYS_THAT_MAY_NOT } from './cases/keys-that-may-not.ts';
import { LOOK_ALIKE_ADDRESSES } from './cases/look-alike-addresses.ts';
import { MILDER_OUTCOMES } from './cases/milder-outcomes.ts';
import { NAMED_APPROVERS } from './cases/named-approvers.ts';
import { NARROWED_APPROVERS } from './cases/narrowed-approvers.ts';
import { NO_LONGER_HOLDS } from './cases/no-longer-holds.ts';
import { NOT_TRIED } from './cases/not-tried.ts';
import { ONE_PERSON_ONE_VOTE } from './cases/one-person-one-vote.ts';
import { PAIRED_PROGRAMS } from './cases/paired-programs.ts';
import { PRIVATE_TARGETS_CASES } from './cases/private-targets.ts';
import { PROGRAMS_THAT_APPROVE } from './cases/programs-that-approve.ts';
import { PROGRAMS_THAT_MANAGE } from './cases/programs-that-manage.ts';
import { SAME_INSTANT } from './cases/same-instant.ts';
import { SEPARATION_OF_DUTIES } from './cases/separation-of-duties.ts';
import { SESSIONS } from './cases/sessions.ts';
import { THE_RECORD } from './cases/the-record.ts';
import { USED_ONCE } from './cases/used-once.ts';
import { WEBHOOKS } from './cases/webhooks.ts';
import { WHAT_IS_SEEN } from './cases/what-is-seen.ts';
import { WHAT_WAS_NOT_SHOWN } from './cases/what-was-not-shown.ts';
import { THREAT_IDS } from './threats.ts';

const ENTRIES: readonly CatalogueEntry[] = [
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
  ...GIVEN_BACK,
  ...NO_LONGER_HOLDS,
  ...ANOTHER_PROJECT,
  ...HOSTILE_REQUESTS,
  ...HOSTILE_CONDITIONS,
  ...WHAT_IS_SEEN,
  ...PRIVATE_TARGETS_CASES,
  ...WEBHOOKS,
  ...SESSIONS,
  ...PAIRED_PROGRAMS,
  ...GUESSING,
  ...THE_RECORD,
  ...LOOK_ALIKE_ADDRESSES,
  ...INEXACT_NUMBERS_CASES,
  ...WHAT_WAS_NOT_SHOWN,
  ...PROGRAMS_THAT_MANAGE,
  ...PROGRAMS_THAT_APPROVE,
  ...NARROWED_APPROVERS,
  ...NOT_TRIED,
];

const rank = ({ threats: [first] }: CatalogueEntry): number =>
  first === undefined ? -1 : THREAT_IDS.indexOf(first);

export const CATALOGUE: readonly CatalogueEntry[] = ENTRIES.toSorted((a, b) => rank(a) - rank(b));

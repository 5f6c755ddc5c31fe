/** PostgreSQL's migrations in order, each the pair of SQLite's with its number: the first stands at index 0 and makes schema version 1. */
import { initial } from './0001-initial.postgres.ts';
import { shadowPolicies } from './0002-shadow-policies.postgres.ts';
import { receiptStatusAndErasure } from './0003-receipt-status-and-erasure.postgres.ts';
import { sessions } from './0004-sessions.postgres.ts';
import { signIn } from './0005-sign-in.postgres.ts';
import { passkeysAndProof } from './0006-passkeys-and-proof.postgres.ts';
import { notifications } from './0007-notifications.postgres.ts';
import { askingAgain } from './0008-asking-again.postgres.ts';
import { policyProposals } from './0009-policy-proposals.postgres.ts';
import { webhooks } from './0010-webhooks.postgres.ts';
import { queuesAndLimits } from './0011-queues-and-limits.postgres.ts';
import { keysInDatabase } from './0012-keys-in-database.postgres.ts';
import { gates } from './0013-gates.postgres.ts';
import { gateway } from './0014-gateway.postgres.ts';
import { upstreams } from './0015-upstreams.postgres.ts';
import { deviceKeysAndPairings } from './0016-device-keys-and-pairings.postgres.ts';
import { ownersOfAgents } from './0017-owners-of-agents.postgres.ts';
import { inboxOrder } from './0018-inbox-order.postgres.ts';
import { riskRated } from './0019-risk-rated.postgres.ts';
import { denials } from './0020-denials.postgres.ts';
import { approvalsOfEquals } from './0021-approvals-of-equals.postgres.ts';
import { autovacuum } from './0022-autovacuum.postgres.ts';
import { unfinishedErasures } from './0023-unfinished-erasures.postgres.ts';

export const postgresMigrations: readonly string[] = [
  initial,
  shadowPolicies,
  receiptStatusAndErasure,
  sessions,
  signIn,
  passkeysAndProof,
  notifications,
  askingAgain,
  policyProposals,
  webhooks,
  queuesAndLimits,
  keysInDatabase,
  gates,
  gateway,
  upstreams,
  deviceKeysAndPairings,
  ownersOfAgents,
  inboxOrder,
  riskRated,
  denials,
  approvalsOfEquals,
  autovacuum,
  unfinishedErasures,
];

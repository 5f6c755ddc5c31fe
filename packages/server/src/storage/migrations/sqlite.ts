/** SQLite's migrations in order: the first stands at index 0 and makes schema version 1. */
import { initial } from './0001-initial.sqlite.ts';
import { shadowPolicies } from './0002-shadow-policies.sqlite.ts';
import { receiptStatusAndErasure } from './0003-receipt-status-and-erasure.sqlite.ts';
import { sessions } from './0004-sessions.sqlite.ts';
import { signIn } from './0005-sign-in.sqlite.ts';
import { passkeysAndProof } from './0006-passkeys-and-proof.sqlite.ts';
import { notifications } from './0007-notifications.sqlite.ts';
import { askingAgain } from './0008-asking-again.sqlite.ts';
import { policyProposals } from './0009-policy-proposals.sqlite.ts';
import { webhooks } from './0010-webhooks.sqlite.ts';
import { queuesAndLimits } from './0011-queues-and-limits.sqlite.ts';
import { keysInDatabase } from './0012-keys-in-database.sqlite.ts';
import { gates } from './0013-gates.sqlite.ts';
import { gateway } from './0014-gateway.sqlite.ts';
import { upstreams } from './0015-upstreams.sqlite.ts';
import { deviceKeysAndPairings } from './0016-device-keys-and-pairings.sqlite.ts';
import { ownersOfAgents } from './0017-owners-of-agents.sqlite.ts';
import { inboxOrder } from './0018-inbox-order.sqlite.ts';
import { riskRated } from './0019-risk-rated.sqlite.ts';
import { denials } from './0020-denials.sqlite.ts';
import { approvalsOfEquals } from './0021-approvals-of-equals.sqlite.ts';
import { autovacuum } from './0022-autovacuum.sqlite.ts';
import { unfinishedErasures } from './0023-unfinished-erasures.sqlite.ts';

export const sqliteMigrations: readonly string[] = [
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

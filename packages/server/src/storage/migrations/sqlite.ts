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
];

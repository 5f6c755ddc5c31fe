import type { JsonObject } from '@permitry/protocol';
import type { PolicyDocument } from './policy-document.ts';

/** The first policy of a project: people decide everything. */
export const DEFAULT_POLICY: JsonObject & PolicyDocument = {
  name: 'default',
  default: { approvers: ['role:approver'], min_approvals: 1 },
  rules: [],
};

import type { JsonObject } from '@permitry/protocol';
import type { PolicyDocument } from './policy-document.ts';

/** What a new project starts with: a person decides everything. */
export const DEFAULT_POLICY: JsonObject & PolicyDocument = {
  name: 'default',
  default: { approvers: ['role:approver'], min_approvals: 1 },
  rules: [],
};

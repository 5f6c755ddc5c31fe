/** Members with which the body of a decision could name its approver. For the attack tool and the adversarial tests. */
export const NAMING_PROPERTIES = [
  'approved_by',
  'approver',
  'approvers',
  'by',
  'user',
  'user_id',
  'email',
  'resolved_by',
  'method',
];

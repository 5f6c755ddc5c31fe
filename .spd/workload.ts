/** What is sent: one 400-byte request body, and the policy it meets. */
import type { JsonObject } from '@permitry/protocol';

export const ACTION = 'payments.refund';

export function paramsOf(index: number): JsonObject {
  return {
    amount: (index % 900) + 1,
    currency: 'EUR',
    order: `ord_${String(index).padStart(12, '0')}`,
    customer: 'cus_5f3c9a71d2e84b60',
    lines: [
      { sku: 'A-1001', quantity: 2, price: 19.99 },
      { sku: 'B-2002', quantity: 1, price: 129.5 },
    ],
    note: 'The parcel arrived damaged; the customer sent three photographs and asks for the money back.',
  };
}

export function createBody(index: number): string {
  return JSON.stringify({ action: ACTION, params: paramsOf(index), metadata: { ticket: `T-${index}` } });
}

/** Twenty rules, of which two match by their pattern and none decides before a person. */
export const POLICY: JsonObject = {
  name: 'bench',
  default: { approvers: ['role:approver'], min_approvals: 1 },
  rules: [
    {
      name: 'big refunds',
      match: { action: 'payments.refund | payments.payout' },
      when: 'params.amount > 5000.0',
      effect: 'require_approval',
      require: [{ from: ['role:owner'], count: 1 }],
      risk_tier: 'high',
    },
    {
      name: 'tiny refunds',
      match: { action: 'payments.*' },
      when: "params.amount < 0.5 && params.currency == 'EUR'",
      effect: 'allow',
    },
    ...Array.from({ length: 18 }, (_, index) => ({
      name: `rule ${index}`,
      match: { action: index % 2 === 0 ? `service${index}.*` : `service${index}.delete` },
      when: `params.env == 'staging' && params.replicas < ${index + 3}`,
      effect: index % 3 === 0 ? 'deny' : 'allow',
    })),
  ],
};

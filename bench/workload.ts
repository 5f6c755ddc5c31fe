/** The request bodies, of about 400 bytes, and the policy that evaluates them. */
import type { JsonObject } from '@permitry/protocol';

/** The same URL for every gate of a run, because permits contain it. A gate with another URL refuses them. */
export const BASE_URL = 'http://localhost:8787';

/** Environment of a gate whose limiter counts as for users, but whose limit is so high that it refuses nothing. */
export const LIMITER_ON = { PERMITRY_RATE_LIMIT_PER_MINUTE: '100000000' };
export const LIMITER_OFF = { PERMITRY_RATE_LIMIT_PER_MINUTE: '0' };

export const ACTION = 'payments.refund';

/**
 * `ordinary` matches no rule's condition and waits for a person. So does `lasting`, and its permit is valid for an
 * hour.
 */
export type Kind = 'ordinary' | 'lasting';

export function paramsOf(index: number, kind: Kind = 'ordinary'): JsonObject {
  return {
    amount: (kind === 'lasting' ? 6000 : 1) + (index % 900),
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

export function createBody(index: number, kind: Kind = 'ordinary'): string {
  const metadata = { ticket: `T-${index}` };
  return JSON.stringify({ action: ACTION, params: paramsOf(index, kind), metadata });
}

/** Twenty rules. The patterns of two rules match an ordinary request, but neither rule decides it, so a person does. */
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
      permit_ttl: 3600,
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

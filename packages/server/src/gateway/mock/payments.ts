import { argumentsOf, mockTool } from './mock-tool.ts';

/** Every refund of this charge fails, to try out a failure. */
const DECLINED_CHARGE = 'ch_declined';

export const paymentsRefund = mockTool(
  {
    name: 'payments.refund',
    title: 'Refund a payment',
    description: `Refunds a charge, all of it or a part. A mock: no money moves. The charge ${DECLINED_CHARGE} is always declined.`,
    riskTier: 'high',
    inputSchema: argumentsOf(
      {
        charge: { type: 'string', minLength: 1, maxLength: 100, description: 'Id of the charge.' },
        amount: { type: 'number', exclusiveMinimum: 0, description: 'In the currency’s unit.' },
        currency: { type: 'string', pattern: '^[A-Z]{3}$', description: 'ISO 4217.' },
        reason: { type: 'string', maxLength: 500 },
      },
      ['charge', 'amount', 'currency'],
    ),
  },
  ({ charge = null, amount = null, currency = null }, id) =>
    charge === DECLINED_CHARGE
      ? { refusal: 'The charge was declined by the bank; nothing was refunded.' }
      : { result: { refund_id: `re_${id}`, charge, amount, currency, status: 'refunded' } },
);

import { call } from '../exchange.ts';
import { REFUND, type Scene } from '../scene.ts';

const VALIDATE = '/v1/permits/validate';

/**
 * The payments service verifies before it pays: with another amount, with the right amount, and a second time with the
 * right amount.
 */
export async function usePermit({ narrator, payments }: Scene, token: string): Promise<void> {
  const { action, params } = REFUND;

  narrator.step('The agent changes the amount: refused');
  narrator.does('agent', 'hands $PERMIT to the payments service, and says 9120 instead of 120');
  const changed = { token, action, params: { ...params, amount: 9120 }, consume: true };
  narrator.tell(await call(payments, 'POST', VALIDATE, changed), {
    status: 400,
    properties: { 'error.code': 'permit_invalid', 'error.reason': 'params_mismatch' },
    show: ['error.message'],
  });
  narrator.why(
    'The signature is genuine, but for other parameters. The payments service asks the gate first, so no money moved.',
  );

  narrator.step('The permit is used: allowed, once');
  const used = { token, action, params, consume: true };
  narrator.tell(await call(payments, 'POST', VALIDATE, used), {
    status: 200,
    properties: { authorizes: true, consumed: true },
    show: ['approved_by', 'receipt_v2.revocation_status'],
  });
  narrator.does('payments', 'refunds 120 EUR');
  narrator.why(
    'consume uses the permit. However many callers ask at the same instant, exactly one gets this answer.',
  );

  narrator.step('The permit is used again: refused');
  narrator.tell(await call(payments, 'POST', VALIDATE, used), {
    status: 400,
    properties: { 'error.code': 'permit_invalid', 'error.reason': 'already_used' },
    show: ['error.message'],
  });
  narrator.why('A copied permit, a retry gone wrong, a loop: one approval is one refund.');
}

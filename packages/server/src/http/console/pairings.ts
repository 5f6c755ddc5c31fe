import { deviceKeyId } from '@permitry/protocol';
import { AnsweredPairing, AnswerPairing, PairingPreview, PreviewPairing } from '@permitry/protocol/schemas';
import { answerPairing } from '../../people/pairings/answer-pairing.ts';
import { getWaitingPairing } from '../../people/pairings/find-pairing.ts';
import { showUserCode } from '../../people/pairings/pairing-codes.ts';
import { networkOf } from '../../people/sign-in-tries/network-of.ts';
import type { GateApp } from '../routes/surface.ts';
import type { ConsoleTools } from './console-tools.ts';
import { getPerson } from './get-person.ts';

export function pairingRoutes(app: GateApp, { gate }: ConsoleTools): void {
  app.post(
    '/pairings/look',
    { schema: { body: PreviewPairing, response: { 200: PairingPreview } } },
    async (request) => {
      const pairing = await getWaitingPairing(gate, getPerson(request), request.body.user_code);
      const { id, purpose, name, rights, lifetimeSeconds, jwk, address, createdAt, expiresAt } = pairing;
      return {
        id,
        user_code: showUserCode(pairing.userCode),
        purpose,
        name,
        rights: [...rights],
        lifetime_seconds: lifetimeSeconds,
        key_id: jwk === null ? null : deviceKeyId(jwk),
        address,
        same_network: networkOf(address) === networkOf(request.ip),
        created_at: createdAt,
        expires_at: expiresAt,
      };
    },
  );

  app.post(
    '/pairings/confirm',
    { schema: { body: AnswerPairing, response: { 200: AnsweredPairing } } },
    async (request) => {
      const { id: pairingId, user_code: userCode, decision } = request.body;
      return {
        status: await answerPairing(gate, getPerson(request), { pairingId, userCode, decision }),
      };
    },
  );
}

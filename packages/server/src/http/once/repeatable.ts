import type { JsonObject } from '@permitry/protocol';
import { assertRequestStands } from '../../gate/intents/assert-request-stands.ts';
import { assertUseStands } from '../../gate/permits/assert-use-stands.ts';
import { assertCallerStanding } from '../../gate/project-settings/assert-caller-standing.ts';
import type { GateParts } from '../../open-gate.ts';
import type { OnceOnly } from './answer-once.ts';
import { toPermitId, toPermitToken } from './remembered-permit.ts';

/** The place of a permit token in a surface's answer. */
export interface TokenLocation {
  read(body: JsonObject): string | undefined;
  /** The same body with another text in that place. */
  write(body: JsonObject, text: string): JsonObject;
}

/** How an answer that may carry a permit is stored and repeated. */
export function keepPermitById(
  gate: GateParts,
  location: TokenLocation,
): Required<Pick<OnceOnly<unknown>, 'strip' | 'restore' | 'beforeReplay'>> {
  return {
    strip: (body) => {
      const token = location.read(body);
      return token === undefined ? body : location.write(body, toPermitId(token));
    },
    restore: async (body) => {
      const { id: intentId } = body;
      if (typeof intentId !== 'string') throw new Error('a remembered intent has an id');
      await assertRequestStands(gate, intentId);
      const permitId = location.read(body);
      return permitId === undefined
        ? body
        : location.write(body, await toPermitToken(gate, intentId, permitId));
    },
    beforeReplay: (caller) => assertCallerStanding(gate, caller),
  };
}

/** How the answer to a use is repeated for a client that lost it. */
export function repeatUse(gate: GateParts): Pick<OnceOnly<unknown>, 'restore'> {
  return {
    restore: async (body) => {
      const { intent_id: intentId } = body;
      if (typeof intentId !== 'string') throw new Error('a remembered use names its intent');
      await assertUseStands(gate, intentId);
      return body;
    },
  };
}

import type { JsonObject } from '@permitry/protocol';
import {
  assertCallerInStanding,
  assertRequestStands,
  assertUseStands,
} from '../../gate/access/assert-may-repeat.ts';
import type { Gate } from '../../gate/gate.ts';
import type { OnceOnly } from './answer-once.ts';
import { toPermitId, toPermitToken } from './remembered-permit.ts';

/** Where a surface's answer carries a permit token. */
export interface TokenPlace {
  read(body: JsonObject): string | undefined;
  /** The same body with another text in that place. */
  write(body: JsonObject, text: string): JsonObject;
}

/** How an answer that may carry a permit is kept and given again. */
export function keepPermitById(place: TokenPlace): Required<Omit<OnceOnly, 'act'>> {
  return {
    strip: (body) => {
      const token = place.read(body);
      return token === undefined ? body : place.write(body, toPermitId(token));
    },
    restore: async (body, gate) => {
      if (typeof body.id === 'string') await assertRequestStands(gate, body.id);
      const permitId = place.read(body);
      return permitId === undefined ? body : place.write(body, await toPermitToken(gate, permitId));
    },
    beforeReplay: assertCallerInStanding,
  };
}

/** How the answer to a use is given again to whoever lost it. */
export const REPEAT_USE: Required<Omit<OnceOnly, 'act'>> = {
  strip: (body) => body,
  restore: async (body: JsonObject, gate: Gate) => {
    if (typeof body.intent_id === 'string') await assertUseStands(gate, body.intent_id);
    return body;
  },
  beforeReplay: assertCallerInStanding,
};

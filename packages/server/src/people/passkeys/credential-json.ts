/** The credential that browsers return (WebAuthn Level 3 §5.1), reduced to the fields that the gate reads. */
import { decodeBase64url, type JsonObject, type JsonValue } from '@permitry/protocol';

export interface AssertionJson {
  id: string;
  rawId: string;
  type: 'public-key';
  response: {
    clientDataJSON: string;
    authenticatorData: string;
    signature: string;
    userHandle?: string;
  };
  clientExtensionResults: Record<string, never>;
}

export interface AttestationJson {
  id: string;
  rawId: string;
  type: 'public-key';
  response: { clientDataJSON: string; attestationObject: string };
  clientExtensionResults: Record<string, never>;
}

/** Characters. The longest value is a signature's object of a few hundred bytes. */
const MOST_CHARACTERS = 16_384;

/**
 * Undefined for a credential in any other form. Every value must be canonical base64url, so that one signature has only
 * one text.
 */
export function readAssertion(credential: JsonObject): AssertionJson | undefined {
  const { response } = credential;
  const id = readId(credential);
  if (id === undefined || !isObject(response)) return undefined;
  const { clientDataJSON, authenticatorData, signature, userHandle } = response;
  if (!isBytes(clientDataJSON) || !isBytes(authenticatorData) || !isBytes(signature)) return undefined;
  // Browsers write null if the authenticator sent none.
  if (userHandle !== undefined && userHandle !== null && !isBytes(userHandle)) return undefined;
  return {
    ...id,
    response: {
      clientDataJSON,
      authenticatorData,
      signature,
      ...(typeof userHandle === 'string' ? { userHandle } : {}),
    },
  };
}

/** Like `readAssertion`, for a new credential. */
export function readAttestation(credential: JsonObject): AttestationJson | undefined {
  const { response } = credential;
  const id = readId(credential);
  if (id === undefined || !isObject(response)) return undefined;
  const { clientDataJSON, attestationObject } = response;
  if (!isBytes(clientDataJSON) || !isBytes(attestationObject)) return undefined;
  return { ...id, response: { clientDataJSON, attestationObject } };
}

function readId({ id, rawId, type }: JsonObject) {
  if (!isBytes(id) || rawId !== id || type !== 'public-key') return undefined;
  return { id, rawId: id, type: 'public-key' as const, clientExtensionResults: {} };
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

function isBytes(value: JsonValue | undefined): value is string {
  return (
    typeof value === 'string' &&
    value !== '' &&
    value.length <= MOST_CHARACTERS &&
    decodeBase64url(value) !== undefined
  );
}

/** Answers of the dashboard's own routes about passkeys. */
import Type from 'typebox';
import { FreeObject, Nullable, StrictObject } from '../forms.ts';
import { DeviceKeyJwkSchema } from '../pairings.ts';

/** Single use, valid for five minutes. */
export const Ticket = Type.String({ minLength: 1, maxLength: 64 });

/** A browser's `PublicKeyCredential` as JSON (WebAuthn Level 3). The standard defines its members and may add some. */
export const CredentialJson = FreeObject;

/** Options for the browser's WebAuthn call, and the ticket to return with its answer. */
export const PasskeyOptions = StrictObject({ ticket: Type.String(), options: FreeObject });

export const PasskeyAnswer = StrictObject({ ticket: Ticket, response: CredentialJson });

const PasskeyName = Type.String({ minLength: 1, maxLength: 200 });

export const NewPasskey = StrictObject({ ticket: Ticket, response: CredentialJson, name: PasskeyName });

export const RenamePasskey = StrictObject({ name: PasskeyName });

export const PasskeySchema = StrictObject({
  id: Type.String(),
  name: Type.String(),
  created_at: Type.String(),
  last_used_at: Nullable(Type.String()),
  backed_up: Type.Boolean({ description: 'Whether it is synced beyond this one device.' }),
});

/** `permitry receipt verify --approvers` reads it. */
export const ApproverKeyFileSchema = StrictObject({
  version: Type.Literal(1),
  approvers: Type.Array(
    StrictObject({
      email: Type.String(),
      keys: Type.Array(
        StrictObject({
          id: Type.String({ description: 'Credential ID, base64url.' }),
          public_key: Type.Object({}, { description: 'JWK: ES256, RS256 or EdDSA.' }),
          rp_id: Type.String(),
          origin: Type.String(),
          created_at: Type.String(),
        }),
      ),
      device_keys: Type.Array(
        StrictObject({
          id: Type.String({ description: 'RFC 7638 thumbprint.' }),
          public_key: DeviceKeyJwkSchema,
          created_at: Type.String(),
        }),
      ),
    }),
  ),
});

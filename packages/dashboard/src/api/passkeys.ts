/** Passkeys, through the browser. The WebAuthn library is loaded on first use. */
import type {
  AuthenticationResponseJSON,
  startAuthentication,
  startRegistration,
} from '@simplewebauthn/browser';
import { ApiError } from './api-error.ts';
import { api } from './client.ts';
import { describeBrowser } from './describe-browser.ts';
import * as words from './passkeys.words.ts';

export type RequestOptions = Parameters<typeof startAuthentication>[0]['optionsJSON'];
type CreationOptions = Parameters<typeof startRegistration>[0]['optionsJSON'];

interface Challenge<Options> {
  ticket: string;
  options: Options;
}

export function canUsePasskeys(): boolean {
  return 'PublicKeyCredential' in window;
}

/** Whether the email field can suggest saved passkeys. */
export async function canSuggestPasskeys(): Promise<boolean> {
  return canUsePasskeys() && ((await PublicKeyCredential.isConditionalMediationAvailable?.()) ?? false);
}

/**
 * Signs in. With `asSuggestion`, the browser offers passkeys in the email field, and the call waits until the person
 * picks one.
 *
 * @throws ApiError the gate's refusal, or `passkey_cancelled`, `passkey_failed`
 */
export async function signInWithPasskey({ asSuggestion = false } = {}): Promise<void> {
  const stays = { staysOnUnauthorized: true };
  const { ticket, options } = await api.post<Challenge<RequestOptions>>(
    '/console/sign-in/passkey/options',
    {},
    stays,
  );
  const response = await askForAssertion(options, asSuggestion);
  await api.post('/console/sign-in/passkey', { ticket, response }, stays);
}

/** Gives the session a fresh proof of presence. */
export async function confirmWithPasskey(): Promise<void> {
  const { ticket, options } = await api.post<Challenge<RequestOptions>>('/console/session/confirm/options');
  const response = await askForAssertion(options);
  await api.post('/console/session/confirm', { ticket, response });
}

/** Creates a passkey for the signed-in person, on this device or on another device that the browser reaches. */
export async function addPasskey(name: string): Promise<void> {
  const { ticket, options } = await api.post<Challenge<CreationOptions>>('/console/account/passkeys/options');
  const browser = await import('@simplewebauthn/browser');
  const response = await browser.startRegistration({ optionsJSON: options }).catch(failed);
  await api.post('/console/account/passkeys', { ticket, response, name });
}

/**
 * An assertion for any challenge from the gate, e.g. that of a decision.
 *
 * @throws ApiError `passkey_cancelled`, `passkey_failed`
 */
export async function askForAssertion(
  options: RequestOptions,
  asSuggestion = false,
): Promise<AuthenticationResponseJSON> {
  const browser = await import('@simplewebauthn/browser');
  return browser
    .startAuthentication({ optionsJSON: options, useBrowserAutofill: asSuggestion })
    .catch(failed);
}

/** Cancels the suggestions, e.g. when the person leaves the page. */
export async function cancelPasskeySuggestions(): Promise<void> {
  const browser = await import('@simplewebauthn/browser');
  browser.WebAuthnAbortService.cancelCeremony();
}

function failed(error: unknown): never {
  const name = error instanceof Error ? error.name : '';
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause.name : '';
  if ([name, cause].some((known) => known === 'NotAllowedError' || known === 'AbortError')) {
    throw new ApiError(0, {
      code: 'passkey_cancelled',
      message: words.passkeyCancelled,
    });
  }
  if ([name, cause].includes('InvalidStateError')) {
    throw new ApiError(0, {
      code: 'passkey_exists',
      message: words.passkeyExists,
    });
  }
  throw new ApiError(0, {
    code: 'passkey_failed',
    message: words.passkeyFailed(name),
  });
}

/** A suggested name, e.g. `Chrome on macOS`. */
export function suggestPasskeyName(): string {
  return describeBrowser(navigator.userAgent);
}

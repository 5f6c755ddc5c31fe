/** Return values of PKCS #11 (v2.40, §5.1) that tell an operator, or us, what to do. */
const NAMES: Readonly<Record<number, string>> = {
  3: 'CKR_SLOT_ID_INVALID',
  5: 'CKR_GENERAL_ERROR',
  6: 'CKR_FUNCTION_FAILED',
  7: 'CKR_ARGUMENTS_BAD',
  19: 'CKR_ATTRIBUTE_VALUE_INVALID',
  48: 'CKR_DEVICE_ERROR',
  49: 'CKR_DEVICE_MEMORY',
  50: 'CKR_DEVICE_REMOVED',
  96: 'CKR_KEY_HANDLE_INVALID',
  104: 'CKR_KEY_FUNCTION_NOT_PERMITTED',
  112: 'CKR_MECHANISM_INVALID',
  130: 'CKR_OBJECT_HANDLE_INVALID',
  144: 'CKR_OPERATION_ACTIVE',
  145: 'CKR_OPERATION_NOT_INITIALIZED',
  160: 'CKR_PIN_INCORRECT',
  161: 'CKR_PIN_INVALID',
  162: 'CKR_PIN_LEN_RANGE',
  163: 'CKR_PIN_EXPIRED',
  164: 'CKR_PIN_LOCKED',
  176: 'CKR_SESSION_CLOSED',
  177: 'CKR_SESSION_COUNT',
  179: 'CKR_SESSION_HANDLE_INVALID',
  181: 'CKR_SESSION_READ_ONLY',
  224: 'CKR_TOKEN_NOT_PRESENT',
  225: 'CKR_TOKEN_NOT_RECOGNIZED',
  226: 'CKR_TOKEN_WRITE_PROTECTED',
  256: 'CKR_USER_ALREADY_LOGGED_IN',
  257: 'CKR_USER_NOT_LOGGED_IN',
  258: 'CKR_USER_PIN_NOT_INITIALIZED',
  400: 'CKR_CRYPTOKI_NOT_INITIALIZED',
  401: 'CKR_CRYPTOKI_ALREADY_INITIALIZED',
};

const PIN_REFUSED: ReadonlySet<number> = new Set([160, 161, 162, 163, 164, 258]);
const KEY_GONE: ReadonlySet<number> = new Set([96, 130]);
/** The token, the session or the login went away, or the session is in a state nobody here left it in. */
const LOST: ReadonlySet<number> = new Set([3, 5, 6, 48, 50, 144, 145, 176, 179, 224, 225, 257, 400]);

export const ALREADY_LOGGED_IN = 256;
export const NOT_LOGGED_IN = 257;
export const ALREADY_INITIALIZED = 401;

/** A call that the module answered with something other than CKR_OK. */
export class CryptokiError extends Error {
  readonly value: number;

  constructor(call: string, value: number) {
    super(`${call} answered ${NAMES[value] ?? `0x${value.toString(16)}`}`);
    this.name = 'CryptokiError';
    this.value = value;
  }

  /** Not to be tried again: a few wrong PINs lock a token. */
  get isPinRefused(): boolean {
    return PIN_REFUSED.has(this.value);
  }

  get isLost(): boolean {
    return LOST.has(this.value);
  }

  get isKeyGone(): boolean {
    return KEY_GONE.has(this.value);
  }
}

/** What an answer means for the next step. `lost`: the token, the session or the login is gone. */
type Meaning = 'pin refused' | 'key gone' | 'lost';

/** Return values of PKCS #11 (v2.40, §5.1) that tell an operator, or this code, what to do. */
const VALUES: Readonly<Record<number, readonly [name: string, meaning?: Meaning]>> = {
  3: ['CKR_SLOT_ID_INVALID', 'lost'],
  5: ['CKR_GENERAL_ERROR', 'lost'],
  6: ['CKR_FUNCTION_FAILED', 'lost'],
  7: ['CKR_ARGUMENTS_BAD'],
  19: ['CKR_ATTRIBUTE_VALUE_INVALID'],
  48: ['CKR_DEVICE_ERROR', 'lost'],
  49: ['CKR_DEVICE_MEMORY'],
  50: ['CKR_DEVICE_REMOVED', 'lost'],
  96: ['CKR_KEY_HANDLE_INVALID', 'key gone'],
  104: ['CKR_KEY_FUNCTION_NOT_PERMITTED'],
  112: ['CKR_MECHANISM_INVALID'],
  130: ['CKR_OBJECT_HANDLE_INVALID', 'key gone'],
  144: ['CKR_OPERATION_ACTIVE', 'lost'],
  145: ['CKR_OPERATION_NOT_INITIALIZED', 'lost'],
  160: ['CKR_PIN_INCORRECT', 'pin refused'],
  161: ['CKR_PIN_INVALID', 'pin refused'],
  162: ['CKR_PIN_LEN_RANGE', 'pin refused'],
  163: ['CKR_PIN_EXPIRED', 'pin refused'],
  164: ['CKR_PIN_LOCKED', 'pin refused'],
  176: ['CKR_SESSION_CLOSED', 'lost'],
  177: ['CKR_SESSION_COUNT'],
  179: ['CKR_SESSION_HANDLE_INVALID', 'lost'],
  181: ['CKR_SESSION_READ_ONLY'],
  224: ['CKR_TOKEN_NOT_PRESENT', 'lost'],
  225: ['CKR_TOKEN_NOT_RECOGNIZED', 'lost'],
  226: ['CKR_TOKEN_WRITE_PROTECTED'],
  256: ['CKR_USER_ALREADY_LOGGED_IN'],
  257: ['CKR_USER_NOT_LOGGED_IN', 'lost'],
  258: ['CKR_USER_PIN_NOT_INITIALIZED', 'pin refused'],
  400: ['CKR_CRYPTOKI_NOT_INITIALIZED', 'lost'],
  401: ['CKR_CRYPTOKI_ALREADY_INITIALIZED'],
};

export const ALREADY_LOGGED_IN = 256;
export const NOT_LOGGED_IN = 257;
export const ALREADY_INITIALIZED = 401;

/** A call that the module answered with something other than CKR_OK. */
export class CryptokiError extends Error {
  /** Never try again after `pin refused`: a few wrong PINs lock a token. */
  readonly meaning: Meaning | undefined;

  constructor(call: string, value: number) {
    const [name, meaning] = VALUES[value] ?? [`0x${value.toString(16)}`];
    super(`${call} answered ${name}`);
    this.name = 'CryptokiError';
    this.meaning = meaning;
  }
}

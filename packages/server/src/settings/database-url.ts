/** The address of a PostgreSQL database, from `PERMITRY_DATABASE_URL`. */
import { isIP } from 'node:net';

const FORM = /^(?=\S*$)(postgres(?:ql)?):\/\/(?:([^@/?#]*)@)?([^@/?#]*)(?:\/([^/?#]*))?(?:\?([^?#]*))?$/;
/** The parameters that the driver uses. It silently ignores all others, even a mistyped `sslmode`. */
const PARAMETERS: ReadonlySet<string> = new Set([
  'application_name',
  'host',
  'options',
  'password',
  'port',
  'ssl',
  'sslcert',
  'sslkey',
  'sslmode',
  'sslnegotiation',
  'sslrootcert',
  'target_session_attrs', // a gate always looks for the server that accepts writes
  'uselibpqcompat',
  'user',
]);
const SSL_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'];
const EXAMPLE = 'postgres://gate@db.example.org:5432/permitry?sslmode=verify-full';

/** Contains a password, which logs, errors and JSON do not show. */
export class DatabaseUrl {
  readonly #text: string;
  /** The URL without password and parameters, so it is safe to show. */
  readonly shown: string;

  /** @throws Error whose message the caller puts after the setting's name. It quotes nothing of the text */
  constructor(text: string) {
    const [matches, scheme = '', userInfo = '', hosts = '', name = '', query = ''] = FORM.exec(text) ?? [];
    if (matches === undefined) {
      throw new Error(
        `must be a URL such as ${EXAMPLE}; write @, /, ? and # in a password as %40, %2F, %3F and %23`,
      );
    }
    const parameters = new URLSearchParams(query);
    const [user = ''] = userInfo.split(':');
    if (hosts === '' && !parameters.has('host')) throw new Error(`must name a host, such as ${EXAMPLE}`);
    if (hosts !== '' && !hosts.split(',').every(isHost)) {
      throw new Error('must name hosts as host or host:port, separated by commas, e.g. db1:5432,db2:5432');
    }
    if (name === '') throw new Error(`must name a database, such as ${EXAMPLE}`);
    for (const part of [userInfo, name]) assertDecodable(part);
    assertParametersKnown(parameters);
    this.#text = text;
    this.shown = `${scheme}://${user === '' ? '' : `${user}@`}${hosts || parameters.get('host')}/${name}`;
  }

  /** The whole text, for connecting. */
  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return this.shown;
  }

  toJSON(): string {
    return this.shown;
  }
}

function isHost(text: string): boolean {
  const [matches, inBrackets, plain, port] = /^(?:\[([^\]]*)\]|([^:[\]]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  if (matches === undefined || Number(port ?? 1) < 1 || Number(port ?? 1) > 65_535) return false;
  return inBrackets === undefined
    ? /^[A-Za-z0-9_]([A-Za-z0-9._-]{0,251}[A-Za-z0-9])?$/.test(plain ?? '')
    : isIP(inBrackets) === 6;
}

function assertParametersKnown(parameters: URLSearchParams): void {
  // The message does not quote the unknown name, because it may be half of a password.
  if ([...parameters.keys()].some((name) => !PARAMETERS.has(name)))
    throw new Error(`has an unknown parameter; known parameters are ${[...PARAMETERS].join(', ')}`);
  const mode = parameters.get('sslmode');
  if (mode !== null && !SSL_MODES.includes(mode))
    throw new Error(`must have one of ${SSL_MODES.join(', ')} as its sslmode`);
}

function assertDecodable(text: string): void {
  try {
    decodeURIComponent(text);
  } catch {
    throw new Error('contains a % that does not begin an escape; write it as %25');
  }
}

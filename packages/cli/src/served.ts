/** What `permitry serve` says once it listens: to people on a terminal, to a log, to a program. */
import type { FirstCredentials } from '@permitry/server';
import { curlLines } from './first-credentials/curl-lines.ts';
import { showFirstProject } from './first-credentials/show-credentials.ts';
import { paint } from './printing/paint.ts';

export interface Served {
  /** The address people and agents use; what permits and approval links say. */
  baseUrl: string;
  /** Where it listens, as this machine reaches it. */
  address: string;
  /** The data directory, or the database without its password. */
  place: string;
  /** Of the first project, when it was made just now. */
  credentials: FirstCredentials | null;
  /** Where they lie, when there was no terminal to show them on. */
  credentialsFile: string | null;
  /** The one-time link of the first sign-in; null once anybody can sign in. */
  setUpUrl: string | null;
}

export function welcome(served: Served): string {
  const { baseUrl, place, credentials, setUpUrl } = served;
  const first =
    credentials === null
      ? ''
      : `${place} was empty: made a first project in test mode.
${showFirstProject(credentials)}
${paint('bold', 'Paste this into another terminal to walk the whole path:')}

${curlLines(baseUrl, credentials)}
`;
  return `${first}${paint('green', 'Permitry is listening on')} ${paint('bold', baseUrl)}${elsewhere(served)}
  docs  ${baseUrl}/docs
  data  ${place}
  stop  Ctrl-C
${setUpUrl === null ? '' : setUpLines(setUpUrl)}`;
}

export function announcement(served: Served): string {
  const { baseUrl, credentialsFile, setUpUrl } = served;
  const first = credentialsFile === null ? '' : `permitry: ${madeFirstProject(credentialsFile)}\n`;
  const setUp =
    setUpUrl === null ? '' : `permitry: nobody can sign in yet; open this once, within a day: ${setUpUrl}\n`;
  return `${first}${setUp}permitry: listening on ${baseUrl}${elsewhere(served)}, docs at ${baseUrl}/docs; SIGTERM stops it\n`;
}

/** Among the lines of the log on stdout, and whatever its level: nobody finds the keys otherwise. */
export function credentialsLine(credentialsFile: string): string {
  const line = {
    level: 'info',
    time: new Date().toISOString(),
    credentials_file: credentialsFile,
    msg: madeFirstProject(credentialsFile),
  };
  return `${JSON.stringify(line)}\n`;
}

export function servedAsJson({ baseUrl, address, place, credentialsFile, setUpUrl }: Served): string {
  const line = {
    url: address,
    base_url: baseUrl,
    docs: `${address}/docs`,
    data: place,
    credentials_file: credentialsFile,
    set_up_url: setUpUrl,
  };
  return `${JSON.stringify(line)}\n`;
}

function setUpLines(setUpUrl: string): string {
  return `
${paint('bold', 'Nobody can sign in yet. Open this in a browser, once, within a day:')}

  ${paint('bold', setUpUrl)}
`;
}

function madeFirstProject(credentialsFile: string): string {
  return `made a first project in test mode; its credentials are in ${credentialsFile}`;
}

/** Said only where it is not the same to whoever reads it: 127.0.0.1 is localhost. */
function elsewhere({ baseUrl, address }: Served): string {
  const loopback = /^http:\/\/(127\.0\.0\.1|\[::1\])(?=:)/;
  return address.replace(loopback, 'http://localhost') === baseUrl ? '' : ` (here: ${address})`;
}

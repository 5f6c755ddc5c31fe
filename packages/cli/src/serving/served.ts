/** What `permitry serve` prints when it listens: for people on a terminal, for a log, for a program. */
import type { FirstCredentials } from '@permitry/server';
import { curlLines } from '../first-credentials/curl-lines.ts';
import { setUpBox } from '../first-credentials/set-up-box.ts';
import { showFirstProject } from '../first-credentials/show-credentials.ts';
import { paint } from '../printing/say.ts';

/** The first sign-in. `url` is set if this start created a link, for a terminal or the credentials file. */
export interface SetUp {
  isNeeded: boolean;
  url: string | null;
}

export interface Served {
  /** The address for people and agents. Permits and approval links contain it. */
  baseUrl: string;
  /** The address where it listens, as this machine reaches it. */
  address: string;
  /** The data directory, or the database without its password. */
  location: string;
  /** The flag that names this gate on another command line. */
  flag: string;
  /** Of the first project, if this start created it or its keys were never shown. */
  credentials: FirstCredentials | null;
  /** The path of the credentials file, if there was no terminal to show the keys on. */
  credentialsFile: string | null;
  setUp: SetUp;
}

/** @param columns Width of the terminal. */
export function welcome(served: Served, columns: number): string {
  const { baseUrl, location, credentials, setUp } = served;
  const link = setUp.url === null ? '' : `${setUpBox(setUp.url, columns)}\n\n`;
  const hint = setUp.isNeeded && setUp.url === null ? `\n${noLink(served)}\n` : '';
  const first =
    credentials === null
      ? ''
      : `
${showFirstProject(credentials, location)}
${paint('bold', 'Paste this into another terminal to try every step once:')}

${curlLines(baseUrl, credentials)}`;
  return `${link}${paint('green', 'Permitry is listening on')} ${paint('bold', baseUrl)}${elsewhere(served)}
  docs  ${baseUrl}/docs
  data  ${location}
  stop  Ctrl-C
${hint}${first}`;
}

export function announcement(served: Served): string {
  const { baseUrl, credentialsFile, setUp } = served;
  const first = credentialsFile === null ? '' : `permitry: ${createdFirstProject(credentialsFile)}\n`;
  const hint = setUp.isNeeded && credentialsFile === null ? `permitry: ${noLink(served)}\n` : '';
  return `${first}${hint}permitry: listening on ${baseUrl}${elsewhere(served)}, docs at ${baseUrl}/docs; SIGTERM stops it\n`;
}

/** Printed among the log's lines on stdout, whatever its level. Otherwise nobody would find the keys. */
export function credentialsLine(credentialsFile: string): string {
  const line = {
    level: 'info',
    time: new Date().toISOString(),
    credentials_file: credentialsFile,
    msg: createdFirstProject(credentialsFile),
  };
  return `${JSON.stringify(line)}\n`;
}

export function servedAsJson({ baseUrl, address, location, credentialsFile }: Served): string {
  const line = {
    url: address,
    base_url: baseUrl,
    docs: `${address}/docs`,
    data: location,
    credentials_file: credentialsFile,
  };
  return `${JSON.stringify(line)}\n`;
}

/** The link was shown earlier, and this process does not know it: the database has only its hash. */
function noLink({ flag }: Served): string {
  return `Nobody can sign in yet. Create a set-up link with: permitry set-up ${flag}`;
}

function createdFirstProject(credentialsFile: string): string {
  return `created a first project in test mode; its keys and the set-up link are in ${credentialsFile}`;
}

/** Adds the local address only if it differs from the base URL. 127.0.0.1 counts as localhost. */
function elsewhere({ baseUrl, address }: Served): string {
  const loopback = /^http:\/\/(127\.0\.0\.1|\[::1\])(?=:)/;
  return address.replace(loopback, 'http://localhost') === baseUrl ? '' : ` (here: ${address})`;
}

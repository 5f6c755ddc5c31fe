/** Email through a real SMTP server. */
import { inspect } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { toInertLine } from '../../src/outgoing/inert-text.ts';
import { composeMail } from '../../src/outgoing/mail/compose-mail.ts';
import { readMailFrom, readSmtpUrl } from '../../src/outgoing/mail/mail-settings.ts';
import { createMailer, type MailError } from '../../src/outgoing/mail/mailer.ts';
import { type MailReceiver, receiveMail } from './receive-mail.ts';

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const part of open.splice(0).reverse()) await part.close();
});

async function receiver(options?: Parameters<typeof receiveMail>[0]): Promise<MailReceiver> {
  const server = await receiveMail(options);
  open.push(server);
  return server;
}

async function mailerTo(url: string, from = 'Permitry <gate@example.org>') {
  const mailer = await createMailer({
    smtp: readSmtpUrl(url),
    from: readMailFrom(from),
    baseUrl: 'https://permitry.example.org',
  });
  open.push(mailer);
  return mailer;
}

const PLAIN = { subject: 'A subject', text: 'words', html: '<p>words</p>' };

describe('an email', () => {
  it('arrives as text and HTML, from the configured sender, and is marked as automatic', async () => {
    const server = await receiver();
    const outcome = await (await mailerTo(server.url)).send({
      to: 'ana@example.org',
      ...composeMail({
        subject: 'Reset your password — Grüße',
        body: ['Somebody asked for this.', [{ name: 'Address', value: '192.0.2.1' }]],
        link: { label: 'Choose a password', url: 'https://permitry.example.org/reset-password' },
        footer: ['You get this because you have an account.'],
      }),
      preferencesUrl: 'https://permitry.example.org/account/notifications',
    });
    expect(outcome).toEqual({ sent: true });
    const [mail] = await server.waitFor(1);
    expect(mail).toMatchObject({
      recipients: ['ana@example.org'],
      from: { name: 'Permitry', address: 'gate@example.org' },
      subject: 'Reset your password — Grüße',
    });
    expect(mail?.text).toContain('Address: 192.0.2.1');
    expect(mail?.text).toContain('https://permitry.example.org/reset-password');
    expect(mail?.html).toContain('href="https://permitry.example.org/reset-password"');
    const header = (key: string) => mail?.headers.find((each) => each.key === key)?.value;
    expect(header('auto-submitted')).toBe('auto-generated');
    expect(header('list-unsubscribe')).toBe('<https://permitry.example.org/account/notifications>');
  });

  it('loads no remote content', () => {
    const { html } = composeMail({ subject: 's', body: ['b', [{ name: 'n', value: 'v' }]] });
    expect(html).not.toMatch(/<(img|link|script|iframe|style)|src=|url\(/i);
  });

  it('is in one thread with the emails that it continues', async () => {
    const server = await receiver();
    const mailer = await mailerTo(server.url);
    await mailer.send({ to: 'ana@example.org', ...PLAIN, id: 'int_1.waiting' });
    await mailer.send({ to: 'ana@example.org', ...PLAIN, id: 'int_1.decided', continues: ['int_1.waiting'] });
    const [first, second] = await server.waitFor(2);
    expect(first?.messageId).toBe('<int_1.waiting@permitry.example.org>');
    expect(second?.references).toBe('<int_1.waiting@permitry.example.org>');
    expect(second?.inReplyTo).toBe('<int_1.waiting@permitry.example.org>');
  });

  it('cannot be given another header or recipient through its subject', async () => {
    const server = await receiver();
    const line = toInertLine('pay\r\nBcc: eve@example.org\r\n\r\nhello');
    expect(line).not.toMatch(/[\r\n]/);
    const mailer = await mailerTo(server.url);
    // The correct subject, and the subject if the caller had forgotten to clean it.
    for (const subject of [line, 'pay\r\nBcc: eve@example.org\r\n\r\nhello']) {
      await mailer.send({ to: 'ana@example.org', ...PLAIN, subject });
    }
    for (const mail of await server.waitFor(2)) {
      expect(mail.recipients).toEqual(['ana@example.org']);
      expect(mail.bcc ?? []).toEqual([]);
      expect(mail.headers.map(({ key }) => key)).not.toContain('bcc');
      expect(mail.text?.trim()).toBe('words');
    }
  });

  it.each(['ana@example.org, eve@example.org', 'ana@example.org\r\nRCPT TO:<eve@example.org>'])(
    'to %j does not reach the second recipient',
    async (to) => {
      const server = await receiver();
      await (await mailerTo(server.url)).send({ to, ...PLAIN }).catch(() => {});
      expect(server.received.flatMap(({ recipients }) => recipients)).not.toContain('eve@example.org');
    },
  );
});

describe('the mail server', () => {
  it('is sent the password, which does not appear in an error', async () => {
    const logins: unknown[] = [];
    const server = await receiver({
      authOptional: false,
      allowInsecureAuth: true,
      onAuth({ username, password }, _, callback) {
        logins.push([username, password]);
        if (password === 'p@ss/word') callback(null, { user: username });
        else callback(new Error('no'));
      },
    });
    const url = (password: string) => `smtp://gate%40example.org:${password}@127.0.0.1:${server.port}`;
    await (await mailerTo(url('p%40ss%2Fword'))).send({ to: 'ana@example.org', ...PLAIN });
    expect(logins).toEqual([['gate@example.org', 'p@ss/word']]);
    const error = await (await mailerTo(url('wrong-password')))
      .send({ to: 'ana@example.org', ...PLAIN })
      .catch((caught: MailError) => caught);
    expect(error).toMatchObject({ name: 'MailError', permanent: false });
    expect(inspect(error, { showHidden: true, depth: 5 })).not.toContain('wrong-password');
  });

  it('that rejects a recipient permanently is distinguished from one that is busy or unreachable', async () => {
    const server = await receiver({
      onRcptTo({ address }, _, callback) {
        const code = address.startsWith('gone') ? 550 : 451;
        callback(Object.assign(new Error('no such person'), { responseCode: code }));
      },
    });
    const mailer = await mailerTo(server.url);
    const refusal = (to: string) =>
      mailer.send({ to, ...PLAIN }).then(
        () => expect.unreachable(),
        (error: MailError) => ({ permanent: error.permanent, named: error.message.includes('example') }),
      );
    expect(await refusal('gone@example.org')).toEqual({ permanent: true, named: false });
    expect(await refusal('busy@example.org')).toEqual({ permanent: false, named: false });
    const away = (await mailerTo('smtp://127.0.0.1:1')).send({ to: 'ana@example.org', ...PLAIN });
    await expect(away).rejects.toMatchObject({ permanent: false });
  });
});

it('without a mail server, nothing is sent and the result says so', async () => {
  const mailer = await createMailer({ smtp: null, from: null, baseUrl: 'http://localhost:8787' });
  expect(mailer.configured).toBe(false);
  expect(await mailer.send({ to: 'ana@example.org', ...PLAIN })).toEqual({ sent: false });
});

describe('email settings', () => {
  it('are parsed, and never print the password', () => {
    const smtp = readSmtpUrl('smtps://user:s3cret@mail.example.com');
    expect(smtp).toMatchObject({ host: 'mail.example.com', port: 465, implicitTls: true, user: 'user' });
    expect(inspect(smtp) + JSON.stringify(smtp)).not.toContain('s3cret');
    expect(readSmtpUrl('smtp://mail.example.com')).toMatchObject({
      port: 587,
      implicitTls: false,
      user: null,
    });
    expect(readMailFrom('"The gate" <gate@example.org>')).toEqual({
      name: 'The gate',
      address: 'gate@example.org',
    });
  });

  it.each([
    'http://mail.example.com',
    'mail.example.com',
    'smtp://user@mail',
    'smtp://mail/x?y=1',
    'smtp://',
  ])('refuse %j as a server', (text) => expect(() => readSmtpUrl(text)).toThrow('must'));

  it.each(['nobody', 'a@b <c@d', 'a b@c', 'x\r\nBcc: y <a@b>', 'a@b, c@d'])('refuse %j as a sender', (text) =>
    expect(() => readMailFrom(text)).toThrow('must be an email address'),
  );
});

describe('untrusted text', () => {
  it('is shown with its invisible characters made visible, and says where it was cut', () => {
    expect(toInertLine('pay\u202Etxt.exe\u200B')).toBe('pay⟨U+202E⟩txt.exe⟨U+200B⟩');
    expect(toInertLine('a\nb\tc\u0000')).toBe('a⟨U+000A⟩b⟨U+0009⟩c⟨U+0000⟩');
    expect(toInertLine('x'.repeat(250), 10)).toBe(`${'x'.repeat(10)} ⟨240 more characters⟩`);
    expect(toInertLine('https://evil.example/x')).toBe('https:⟨//⟩evil.example/x');
    expect(toInertLine('Zahlung für Zoë 💸')).toBe('Zahlung für Zoë 💸');
  });

  it('is escaped in HTML, and never becomes a link', () => {
    const { html } = composeMail({
      subject: '<b>s</b>',
      body: ['<img src=x onerror=alert(1)>', [{ name: '"><script>', value: '</td><script>' }]],
      link: { label: '<i>', url: 'https://example.org/?a="><script>' },
      footer: ['<script>'],
    });
    expect(html).not.toMatch(/<script|<img|<b>|<i>/);
    const named = composeMail({ subject: 's', body: [[{ name: 'Action', value: 'login.evil.example' }]] });
    expect(named.html).not.toContain('evil.example');
    expect(named.html.replaceAll(/<[^>]+>/g, '')).toContain('login.evil.example');
  });
});

/** Headers of every page and file of the dashboard. */
import helmet from '@fastify/helmet';
import type { FastifyInstance } from 'fastify';

const SELF = ["'self'"];
const NONE = ["'none'"];

/**
 * Allows only the gate's own files, and no inline code. Forms may have no target, because pages send them by script.
 */
const POLICY = {
  'default-src': NONE,
  'script-src': SELF,
  'style-src': SELF,
  'img-src': ["'self'", 'data:'],
  'font-src': SELF,
  'connect-src': SELF,
  'manifest-src': SELF,
  'worker-src': SELF,
  'base-uri': NONE,
  'form-action': NONE,
  'frame-ancestors': NONE,
  // Text can become code only through the one named Trusted Types policy, which lets the page register its own service
  // worker.
  'require-trusted-types-for': ["'script'"],
  'trusted-types': ['permitry'],
};

const YEAR_SECONDS = 31_536_000;

/** The device features that the pages use. All others are denied. */
const PERMISSIONS = [
  ...['publickey-credentials-get', 'publickey-credentials-create', 'clipboard-write'].map(
    (name) => `${name}=(self)`,
  ),
  ...[
    'accelerometer',
    'autoplay',
    'camera',
    'clipboard-read',
    'display-capture',
    'encrypted-media',
    'fullscreen',
    'geolocation',
    'gyroscope',
    'hid',
    'idle-detection',
    'local-fonts',
    'magnetometer',
    'microphone',
    'midi',
    'payment',
    'picture-in-picture',
    'screen-wake-lock',
    'serial',
    'usb',
    'window-management',
    'xr-spatial-tracking',
  ].map((name) => `${name}=()`),
].join(', ');

export async function hardenPages(app: FastifyInstance, baseUrl: string): Promise<void> {
  await app.register(helmet, {
    contentSecurityPolicy: { useDefaults: false, directives: POLICY },
    referrerPolicy: { policy: 'no-referrer' },
    xFrameOptions: { action: 'deny' },
    crossOriginOpenerPolicy: { policy: 'same-origin' },
    crossOriginResourcePolicy: { policy: 'same-origin' },
    // Over plain HTTP a browser ignores this header, and on localhost the browser would still apply it after the gate
    // is gone.
    strictTransportSecurity: baseUrl.startsWith('https:')
      ? { maxAge: YEAR_SECONDS, includeSubDomains: false }
      : false,
  });
  app.addHook('onRequest', (_request, reply, done) => {
    reply.header('permissions-policy', PERMISSIONS);
    done();
  });
}

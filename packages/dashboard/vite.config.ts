import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { precompress } from './build/precompress.ts';
import { stylesLast } from './build/styles-last.ts';

/** `npm run dev` serves the pages and passes their calls to this gate. */
const GATE = process.env.PERMITRY_URL ?? 'http://localhost:8787';

export default defineConfig({
  root: import.meta.dirname,
  base: '/',
  plugins: [react(), stylesLast(), precompress()],
  server: {
    proxy: Object.fromEntries(
      ['/console', '/api', '/v1', '/docs', '/openapi.json'].map((path) => [
        path,
        // The gate accepts changes only from its own origin. During development the pages have another one.
        { target: GATE, changeOrigin: true, headers: { origin: GATE } },
      ]),
    ),
  },
  build: {
    target: 'es2023',
    cssTarget: ['chrome123', 'firefox121', 'safari17.5'],
    outDir: 'dist',
    emptyOutDir: true,
    // A data: address or a polyfill in the page would need a looser Content-Security-Policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // Lists the third-party code in the pages and its licences, for anyone who redistributes the pages.
    license: { fileName: 'THIRD-PARTY-NOTICES.md' },
    rolldownOptions: {
      checks: { pluginTimings: false },
      // The texts of a page are constants in another module. Inlining them costs no more bytes than writing them where
      // they are shown.
      optimization: { inlineConst: { mode: 'all', pass: 2 } },
      input: {
        index: join(import.meta.dirname, 'index.html'),
        sw: join(import.meta.dirname, 'service-worker/service-worker.ts'),
      },
      output: {
        // The service worker has no hash in its name, because a browser looks for it at the URL where it was
        // registered.
        entryFileNames: ({ name }) => (name === 'sw' ? 'sw.js' : 'assets/[name]-[hash].js'),
        // These libraries change only when we upgrade them, so browsers keep this file cached when our own code
        // changes.
        codeSplitting: {
          groups: [
            {
              name: 'framework',
              // Leaves out the parts of these libraries that only a few pages use.
              test: /node_modules[\\/](?!.*(?:queriesObserver|useQueries))(react|react-dom|scheduler|react-router|@tanstack)[\\/]/,
              priority: 3,
            },
            // Modules that load together share one file with everything that they import. That needs fewer requests and
            // compresses better.
            {
              name: 'shell',
              test: /src[\\/](?:main|ui[\\/](?:card|copy-button|keyboard-hint|say|tabs|time|use-media-query|use-shortcuts))\.tsx?$/,
              priority: 2,
            },
            {
              name: 'decide',
              test: /src[\\/](?:decide[\\/](?:explanation|deciding|find-warnings|review|shown-parameters)|ui[\\/]when-near)\.tsx?$/,
              priority: 1,
            },
            // Each of these modules is small, and each further file adds its name to the shell.
            { name: 'lists', test: /src[\\/]ui[\\/](?:facts|listing|pager|table)\.tsx$/, priority: 1 },
          ],
        },
      },
    },
  },
});

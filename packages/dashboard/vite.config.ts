import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { precompress } from './build/precompress.ts';
import { stylesLast } from './build/styles-last.ts';

/** The gate that `npm run dev` shows its pages with. */
const GATE = process.env.PERMITRY_URL ?? 'http://localhost:8787';

export default defineConfig({
  root: import.meta.dirname,
  base: '/',
  plugins: [react(), stylesLast(), precompress()],
  server: {
    proxy: Object.fromEntries(
      ['/console', '/api', '/v1', '/docs', '/openapi.json'].map((path) => [
        path,
        // The gate takes changes from its own pages alone; while developing, these are they.
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
    // What of others is in the pages, for whoever passes them on.
    license: { fileName: 'THIRD-PARTY-NOTICES.md' },
    rolldownOptions: {
      checks: { pluginTimings: false },
      // The texts of a page are constants in another module. Inlined, they weigh what they did where they are shown.
      optimization: { inlineConst: { mode: 'all', pass: 2 } },
      input: {
        index: join(import.meta.dirname, 'index.html'),
        sw: join(import.meta.dirname, 'service-worker/service-worker.ts'),
      },
      output: {
        // A browser looks for its service worker where it was registered, whatever is in it.
        entryFileNames: ({ name }) => (name === 'sw' ? 'sw.js' : 'assets/[name]-[hash].js'),
        // What changes with an upgrade of ours alone stays in browsers' caches when our own code changes.
        codeSplitting: {
          groups: [
            {
              name: 'framework',
              // Without what a few pages alone take of them.
              test: /node_modules[\\/](?!.*(?:queriesObserver|useQueries))(react|react-dom|scheduler|react-router|@tanstack)[\\/]/,
              priority: 3,
            },
            // What loads together is one file each, with all that it imports: less to ask for, and it compresses better.
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
            // Each is small, and each file more is a name more in the shell.
            { name: 'lists', test: /src[\\/]ui[\\/](?:facts|listing|pager|table)\.tsx$/, priority: 1 },
          ],
        },
      },
    },
  },
});

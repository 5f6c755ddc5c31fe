import type { Plugin } from 'vite';

const STYLESHEET = /\n\s*<link rel="stylesheet"[^>]*>/;

/** As in base.css. */
const LAYERS = '@layer tokens,base,ui,shell,pages,print;';

/**
 * Moves the stylesheet after the frame that the document draws first, so that a browser draws the frame without waiting
 * for the file. Scripts still wait for every stylesheet before them, so no page is ever drawn without its styles.
 */
export function stylesLast(): Plugin {
  return {
    name: 'permitry-styles-last',
    apply: 'build',
    // A page's styles may load before base.css, which sets the order of the layers. So each file sets that order
    // itself.
    generateBundle(_options, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type === 'asset' && file.fileName.endsWith('.css'))
          file.source = `${LAYERS}${String(file.source)}`;
      }
    },
    transformIndexHtml: {
      order: 'post',
      handler(html) {
        const found = STYLESHEET.exec(html)?.[0];
        if (found === undefined) throw new Error('index.html names no stylesheet to move');
        const preload = found.replace('rel="stylesheet"', 'rel="preload" as="style"');
        return html.replace(found, preload).replace('<noscript>', `${found.trim()}\n    <noscript>`);
      },
    },
  };
}

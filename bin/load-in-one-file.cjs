// Loads a module for the command as one file, whose own `import()` knows what Node brings and nothing else.
const { pathToFileURL } = require('node:url');

module.exports = (file) => import(pathToFileURL(file).href);

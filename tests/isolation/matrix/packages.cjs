'use strict';

const packages = {};

module.exports = { packages };

# SPDX-License-Identifier: MIT
# The front door. Everything real is in CMake presets; this sets the machine up first.
PREFIX ?= $(CURDIR)/install
JOBS ?= $(shell nproc)
CMAKE_ARGS ?=
# Datasets and models that are not part of the project.
SHARED ?= $(or $(FEWEDITS_SHARED),../shared)

.DEFAULT_GOAL := help
.PHONY: help setup setup-tests setup-developer build demo test test-long asan tsan minimal fuzz bench exact-bonds validity molecules paper-tables accuracies distances case-study rules-tables results pictures python lint format install clean

help: ## show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 18

setup:
	@tools/setup

setup-tests:
	@tools/setup --tests

setup-developer:
	@tools/setup --developer

# Configures and builds a preset: $(call build,PRESET[,extra build arguments])
define build
	@cmake --preset $(1) $(CMAKE_ARGS) > build-$(1).log 2>&1 || { cat build-$(1).log; rm -f build-$(1).log; exit 1; }
	@rm -f build-$(1).log
	@cmake --build --preset $(1) --parallel $(JOBS) $(2)
endef

build: setup ## build the release preset
	$(call build,release,--target fewedits_cli fewedits_verify)

demo: build ## install what is missing, build, and run the whole way on a built-in dataset
	@build/release/apps/fewedits/fewedits demo --dir demo-output

test: setup-tests ## install what is missing, build, and run the default tests
	$(call build,dev)
	@ctest --preset dev

test-long: setup-tests ## the tests that take minutes: training with the paper's settings
	$(call build,dev)
	@ctest --preset long

asan: setup-tests ## default tests under the address and undefined-behaviour sanitizers
	$(call build,asan-ubsan)
	@ctest --preset asan-ubsan

tsan: setup-tests ## default tests under the thread sanitizer
	$(call build,tsan)
	@ctest --preset tsan

minimal: setup-tests ## default tests of the core alone: no libtorch, no RDKit
	$(call build,minimal)
	@ctest --preset minimal

fuzz: setup-developer ## each fuzz target for a minute
	$(call build,fuzz)
	@ctest --preset fuzz

rules-tables: build ## the tables of rules in docs/results.md (half an hour); ONLY="--only AIDS" picks some
	@python3 bench/rules/rule_tables.py --fewedits build/release/apps/fewedits/fewedits --out build/rule-tables $(ONLY)

bench: setup ## inference, GREED and the walk against libtorch, the certified search, every distance
	$(call build,release)
	@build/release/bench/inference_bench --json build/release/inference.json
	@build/release/bench/greed_bench --json build/release/greed.json
	@build/release/bench/walk_step_bench --json build/release/walk_step.json
	@build/release/bench/gradient_bench
	@build/release/bench/certified_step_bench
	@build/release/bench/ged_bench --json build/release/ged.json

# QUICK=1 has its own folder: its figures are no record of the paper's settings.
ifdef QUICK
paper_tables_docs = build/quick
paper_tables_options = --quick --minutes 10
optimum_options = --seconds 4
paper_tables_folder = build/quick/results
else
paper_tables_docs = docs
paper_tables_options = --readme README.md
optimum_options =
paper_tables_folder = build/release/results
# GREED models and accuracies of models trained here.
paper_tables_needs = distances accuracies
endif
paper_tables_bench = build/release/bench/paper_tables_bench $(paper_tables_options) \
	--docs $(paper_tables_docs) --folder $(paper_tables_folder)

molecules_folder = build/release/molecules
molecules: setup ## bonds used and left out: coverage of three seeds, verified, and what RDKit says (an hour)
	$(call build,release,--target fewedits_cli fewedits_verify validity_bench)
	@mkdir -p $(molecules_folder)
	@for seed in 1 2 3; do for data in AIDS Mutagenicity; do for bonds in use ignore; do \
		f=$(molecules_folder)/$$data-$$bonds-$$seed.json; \
		[ -e $$f ] || build/release/apps/fewedits/fewedits explain --dataset $(SHARED)/datasets/$$data \
			--model $(SHARED)/models/$$(echo $$data | tr A-Z a-z)/gcn.pth --bonds $$bonds --seed $$seed --threads 1 -o $$f || exit 1; \
		build/release/apps/fewedits/fewedits-verify $$f || exit 1; done; done; done
	@build/release/bench/validity_bench $(molecules_folder)/*.json

paper-tables: setup build/bench-venv/requirements.txt $(paper_tables_needs) ## every table, figure and claim of the paper, ours beside them; hours, can be interrupted (QUICK=1: minutes, into build/quick)
	$(call build,release,--target paper_tables_bench)
	@mkdir -p $(paper_tables_docs)/paper-tables
	@$(paper_tables_bench)
	@build/bench-venv/bin/python bench/optimum.py $(optimum_options) --output $(paper_tables_docs)/paper-tables/optimum.csv \
		$$(find $(paper_tables_folder) -name '*.pool' '(' -name '*-ground-truth-greed*' -o -name '*-cff-*' \
			-o -name '*-rcexplainer-*' -o -name '*-paper-*earliest*' -o -name '*-certified-walk*' ')' | sort)
	@$(paper_tables_bench) --no-search

exact-bonds: setup build/bench-venv/requirements.txt ## exact distances with bonds against an integer program, on 300 pairs of molecules (minutes)
	$(call build,release,--target fewedits_cli)
	@build/bench-venv/bin/python bench/exact_bonds.py --fewedits build/release/apps/fewedits/fewedits \
		$(SHARED)/datasets/AIDS $(SHARED)/datasets/Mutagenicity

# Short searches: what they find is a molecule or not after minutes as after hours.
validity_folder = build/release/validity
validity_explain = f=$(validity_folder)/$(1)-$(2)-$$seed.json; [ -e $$f ] || \
	build/release/apps/fewedits/fewedits explain --dataset $(SHARED)/datasets/$(1) \
		--model $(SHARED)/models/$$(echo $(1) | tr A-Z a-z)/gcn.pth --seed $$seed -o $$f $(3) > $$f.log || exit 1
validity: setup ## which counterfactuals are molecules, for RDKit (minutes)
	$(call build,release,--target fewedits_cli validity_bench)
	@mkdir -p $(validity_folder)
	@for seed in 1 2 3; do \
		$(foreach data,AIDS Mutagenicity,\
			$(call validity_explain,$(data),1-walk,--distance greed --no-refine --steps 2000 \
				--greed-model $(SHARED)/models/$$(echo $(data) | tr A-Z a-z)/greed.pt); \
			$(call validity_explain,$(data),2-blind,--bonds ignore --refine-work 100000000); \
			$(call validity_explain,$(data),3-bonds,--bonds use --refine-work 100000000);) done
	@build/release/bench/validity_bench $(validity_folder)/*.json

# Of the datasets that have none on record, minutes each. Status 1 says that a mean is far from the
# paper's, which the page says, too.
accuracies: setup
	$(call build,release,--target training_bench)
	@mkdir -p docs/paper-tables
	@for dataset in AIDS Mutagenicity NCI1 PROTEINS; do \
		grep -qs "^$$dataset,accuracy-testing," docs/paper-tables/facts.csv || \
		build/release/bench/training_bench --datasets $$dataset --record docs/paper-tables/facts.csv || \
		[ $$? -eq 1 ] || exit 1; done

build/bench-venv/requirements.txt: bench/requirements.txt
	@/usr/bin/python3 -m venv --clear build/bench-venv
	@build/bench-venv/bin/python -m pip install --quiet --disable-pip-version-check --requirement $<
	@cp $< $@

distances: setup ## trains a GREED model for each dataset of the paper, for paper-tables; an hour
	$(call build,release,--target fewedits_cli fewedits_train_program)
	@mkdir -p build/release/distances
	@for dataset in AIDS Mutagenicity NCI1 PROTEINS; do \
		[ -e build/release/distances/$$dataset.safetensors ] || \
		build/release/apps/fewedits/fewedits train-distance \
			--dataset $(SHARED)/datasets/$$dataset \
			-o build/release/distances/$$dataset.safetensors || exit 1; done

case-study: setup ## explain AIDS (minutes) and make docs/case-study.md of it
	$(call build,release,--target fewedits_cli)
	@build/release/apps/fewedits/fewedits explain --dataset $(SHARED)/datasets/AIDS --model $(SHARED)/models/aids/gcn.pth \
		--bonds ignore --seed 1 -o build/release/case-study.json
	@rm -rf docs/images/case-study
	@build/release/apps/fewedits/fewedits casestudy build/release/case-study.json --keep-isolated --paper \
		$$(awk -F, '$$1 == "AIDS" { printf "--%s %s ", $$3, $$4 }' bench/paper_tables/tuning.csv) -o docs/case-study.md

results: setup ## what is claimed and what is proven, for all methods, verified; hours, can be interrupted
	$(call build,release,--target results_bench fewedits-verify)
	@build/release/bench/results_bench --folder build/release/results \
		--output build/release/results.md
	@for file in build/release/results/*-certified*.json build/release/results/*-ground-truth-1.json; do \
		echo "$$file"; build/release/apps/fewedits/fewedits-verify "$$file" || exit 1; done

# Whole pages of two datasets at the default work, and their beginnings as the README shows them.
pictures_folder = build/release/pictures
pictures: setup-tests ## the README's pictures of pages (minutes)
	$(call build,release,--target fewedits_cli)
	@mkdir -p $(pictures_folder)
	@run=build/release/apps/fewedits/fewedits; for data in Mutagenicity AIDS; do f=$(pictures_folder)/$$data; \
		$$run explain --dataset $(SHARED)/datasets/$$data \
			--model $(SHARED)/models/$$(echo $$data | tr A-Z a-z)/gcn.pth --seed 1 -o $$f.json && \
		$$run rules $$f.json -o $$f.rules.json > /dev/null && \
		$$run rules $$f.json --plausible -o $$f.plausible.json > /dev/null && \
		$$run fragility $$f.json --json -o $$f.fragility.json && \
		$$run report $$f.json $$f.rules.json $$f.plausible.json $$f.fragility.json -o $$f.html || exit 1; done
	@.venv/bin/python bench/page_pictures.py $(pictures_folder)/Mutagenicity.html docs/images/why.png \
		$(pictures_folder)/AIDS.html docs/images/why-aids.png

python: setup-tests ## the Python package as a wheel that needs nothing of this machine, into build/wheels
	@.venv/bin/python -m build --wheel --no-isolation --outdir build/wheels/raw . > build-wheel.log 2>&1 || { cat build-wheel.log; rm -f build-wheel.log; exit 1; }
	@rm -f build-wheel.log
	@PATH="$(CURDIR)/.venv/bin:$$PATH" .venv/bin/auditwheel repair --wheel-dir build/wheels build/wheels/raw/*.whl
	@rm -rf build/wheels/raw

lint: setup-developer ## clang-format (check only), where includes point, clang-tidy over src and apps
	@tools/lint

format: setup-developer ## rewrite the sources with clang-format
	@git ls-files '*.cpp' '*.hpp' '*.inl' | xargs clang-format -i

install: setup ## install the CLI, the library and its CMake package into PREFIX
	$(call build,release,--target fewedits_install_set)
	@cmake --install build/release --prefix '$(PREFIX)' > /dev/null
	@echo "installed into $(PREFIX): bin/fewedits and its companions, lib, include/fewedits"

clean: ## remove everything that was built
	@rm -rf build demo-output install
